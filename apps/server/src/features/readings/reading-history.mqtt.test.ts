// Curves of readings: what devices reported over MQTT, with what happened meanwhile, for who may see it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportSeries, formatDateTime, readSeries } from '@voltkeep/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertAlarm, insertDevice } from '../../../test/factories.ts'
import { connectDevice } from '../../../test/mqtt-client.ts'
import { readSpreadsheet } from '../../platform/files/sheets/spreadsheet-reader.ts'

const app = await appOfTests()
const admin = await app.asAdmin()
const directory = mkdtempSync(join(tmpdir(), 'voltkeep-readings-'))
afterAll(() => rmSync(directory, { recursive: true }))

const minuteMs = 60_000
const text = (ms: number) => formatDateTime(new Date(ms))
const nowMs = Math.floor(Date.now() / 1_000) * 1_000
const lastHour = { startTime: text(nowMs - 60 * minuteMs), endTime: text(nowMs + minuteMs), points: 2_000 }

async function reporting() {
  const device = await insertDevice(app.db)
  const client = await connectDevice(app.ports.mqttPort as number, device)
  let serial = 0
  const report = (time: number, body: object) =>
    client.publish(`voltkeep/${device.code}/up/status`, { id: `h${++serial}`, time, status: {}, ...body })
  return { device, client, report }
}

describe('the curve of a reading', () => {
  test('has what the device has reported, as soon as that is acknowledged', async () => {
    const { device, client, report } = await reporting()
    await report(nowMs - 10 * minuteMs, {
      status: { 柜内温度: 31.5, 门: true, 备注: '好' },
      compartments: [{ no: 3, soc: 60 }],
    })
    await report(nowMs - 5 * minuteMs, {
      status: { 柜内温度: 32, 门: false },
      compartments: [{ no: 3, soc: 61 }],
    })
    const keys = [
      '柜内温度',
      'compartments.3.soc',
      '门',
      '备注',
      'compartments.3.state',
      'compartments.99.soc',
    ]
    const { data } = await app.call(readSeries, { id: String(device.id), keys, ...lastHour }, admin)
    expect(data).toMatchObject({ level: 'raw', stepSeconds: 2 })
    const at = (minutes: number) => text(nowMs - minutes * minuteMs - (Math.floor(nowMs / 1_000) % 2) * 1_000)
    expect(data.series).toEqual([
      {
        key: '柜内温度',
        name: '柜内温度',
        unit: null,
        points: [
          [at(10), 31.5, 31.5, 31.5, 31.5],
          [at(5), 32, 32, 32, 32],
        ],
      },
      {
        key: 'compartments.3.soc',
        name: '3号仓 SOC',
        unit: '%',
        points: [
          [at(10), 60, 60, 60, 60],
          [at(5), 61, 61, 61, 61],
        ],
      },
      {
        key: '门',
        name: '门',
        unit: null,
        points: [
          [at(10), 1, 1, 1, 1],
          [at(5), 0, 0, 0, 0],
        ],
      },
      { key: '备注', name: '备注', unit: null, points: [] },
      { key: 'compartments.3.state', name: '3号仓 状态', unit: null, points: [] },
      { key: 'compartments.99.soc', name: '99号仓 SOC', unit: '%', points: [] },
    ])
    await client.disconnect()
  })

  test('of a device that reports every three seconds costs what changed', async () => {
    const { device, client, report } = await reporting()
    for (let n = 0; n < 40; n += 1) await report(nowMs - (40 - n) * 3_000, { status: { a: 7 } })
    const { rows } = await app.database.pool.query(
      'SELECT count(*)::int AS n FROM reading_open WHERE device_id = $1',
      [device.id],
    )
    // Two minutes are part of one quarter of an hour, or of two; and what was kept is forgotten once, as the device
    // has just come online.
    expect(rows[0].n).toBeLessThanOrEqual(3)
    await client.disconnect()
  })

  test('is refused without readings, of too many, and of a time that ends before it begins', async () => {
    const device = await insertDevice(app.db)
    const problems = async (more: object) =>
      (await app.call(readSeries, { id: String(device.id), keys: ['a'], ...lastHour, ...more }, admin))
        .message
    expect(await problems({ keys: [] })).toBe('请选择读数')
    expect(await problems({ keys: Array.from({ length: 13 }, (_, n) => `k${n}`) })).toBe('读数最多 12 项')
    expect(await problems({ startTime: '2026-11-02', endTime: '2026-11-01' })).toBe(
      '结束时间不能早于开始时间',
    )
    expect(await problems({ startTime: undefined })).toBe('请选择开始时间')
  })
})

describe('the marks of a curve', () => {
  test('are alarms, commands, upgrades and when the device was offline, of what the caller may see', async () => {
    const device = await insertDevice(app.db)
    const { pool } = app.database
    const ago = (minutes: number) => new Date(nowMs - minutes * minuteMs)
    await pool.query('DELETE FROM device_connection WHERE device_id = $1', [device.id])
    for (const [minutes, isOnline] of [
      [90, true],
      [80, false],
      [50, true],
      [20, false],
    ] as const)
      await pool.query('INSERT INTO device_connection (device_id, at, is_online) VALUES ($1, $2, $3)', [
        device.id,
        ago(minutes),
        isOnline,
      ])
    await pool.query(
      `INSERT INTO device_command (id, device_id, device_code, topic, body, max_attempts, interval_ms, deadline, created_at,
         state, result, finished_at)
       VALUES (gen_random_uuid(), $1, $2, 'settings', '{}', 1, 1000, now(), $3, 'finished', 'expired', $4)`,
      [device.id, device.code, ago(30), ago(29)],
    )
    await insertAlarm(app.db, device, 'MRK1', 1, { value: 1 })
    const ask = async (token: string) =>
      (await app.call(readSeries, { id: String(device.id), keys: ['a'], ...lastHour }, token)).data.marks.map(
        ({ type, name, startTime, endTime }) => [type, name, startTime, endTime],
      )
    const marks = await ask(admin)
    expect(marks.filter(([type]) => type === 'offline')).toEqual([
      ['offline', '', text(nowMs - 80 * minuteMs), text(nowMs - 50 * minuteMs)],
      ['offline', '', text(nowMs - 20 * minuteMs), null],
    ])
    expect(marks.filter(([type]) => type === 'command')).toEqual([
      ['command', 'settings', text(nowMs - 30 * minuteMs), text(nowMs - 29 * minuteMs)],
    ])
    expect(marks.filter(([type]) => type === 'alarm')).toMatchObject([
      ['alarm', 'MRK1', expect.any(String), null],
    ])
    const { rows } = await pool.query(
      'SELECT p.organization_id AS id FROM device d JOIN operator p ON p.id = d.operator_id WHERE d.id = $1',
      [device.id],
    )
    const { token } = await app.asUser({ organizationId: rows[0].id, functionCodes: ['equip:list'] })
    expect((await ask(token)).map(([type]) => type).toSorted()).toEqual(['command', 'offline', 'offline'])
  })
})

describe('the sheet of readings', () => {
  const exported = async (input: Record<string, string>) => {
    const response = await fetch(`${app.url}/api${exportSeries.path}?${new URLSearchParams(input)}`, {
      headers: { authorization: admin },
    })
    expect(response.status).toBe(200)
    const path = join(directory, 'answer.xlsx')
    writeFileSync(path, Buffer.from(await response.arrayBuffer()))
    const rows: (string | undefined)[][] = []
    for await (const { cells } of readSpreadsheet(path)) rows.push(cells)
    const name = decodeURIComponent(response.headers.get('content-disposition') ?? '')
    return { rows, name }
  }

  test('has a row a report and a column a reading, with its unit', async () => {
    const { device, client, report } = await reporting()
    await report(nowMs - 10 * minuteMs, { status: { 门: true }, compartments: [{ no: 3, soc: 60 }] })
    await report(nowMs - 5 * minuteMs, { compartments: [{ no: 3, soc: 61.5 }] })
    const keys = 'compartments.3.soc,门'
    const { rows, name } = await exported({
      id: String(device.id),
      keys,
      startTime: lastHour.startTime,
      endTime: lastHour.endTime,
    })
    expect(name).toMatch(new RegExp(`读数_${device.code}_\\d{14}\\.xlsx`))
    expect(rows[0]).toEqual(['时间', '3号仓 SOC (%)', '门'])
    expect(rows.slice(1).map((cells) => cells.slice(1))).toEqual([
      ['60', '是'],
      ['61.5', ...(rows[2]?.slice(2) ?? [])],
    ])
    expect(rows[2]?.[2] ?? '').toBe('')
    await client.disconnect()
  })

  test('of a long time has least, greatest and mean of its hours or days', async () => {
    const { device, client, report } = await reporting()
    await report(nowMs - 10 * minuteMs, { compartments: [{ no: 3, soc: 60 }] })
    await report(nowMs - 9 * minuteMs, { compartments: [{ no: 3, soc: 40 }] })
    const { rows } = await exported({
      id: String(device.id),
      keys: 'compartments.3.soc',
      startTime: text(nowMs - 365 * 86_400_000),
      endTime: lastHour.endTime,
    })
    expect(rows[0]).toEqual(['时间', '3号仓 SOC (%) 最小', '3号仓 SOC (%) 最大', '3号仓 SOC (%) 平均'])
    expect(Math.min(...rows.slice(1).map(([, least]) => Number(least)))).toBe(40)
    expect(Math.max(...rows.slice(1).map(([, , greatest]) => Number(greatest)))).toBe(60)
    await client.disconnect()
  })
})
