import { listCompartments, listIntakeRefusals, listReadings } from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertAlarm, insertDevice, insertOrganization } from '../../../test/factories.ts'
import { connectDevice } from '../../../test/mqtt-client.ts'

const app = await appOfTests()
const admin = await app.asAdmin()
const modelOf = async (code: string): Promise<number> =>
  (await app.database.pool.query('SELECT id FROM equip_model WHERE code = $1', [code])).rows[0].id
const cabinetModel = await modelOf('VK-EC12')
const batteryModel = await modelOf('VK-B6030')

let serial = 0
async function cabinet({ modelId = cabinetModel } = {}) {
  const device = await insertDevice(app.db, { modelId })
  const client = await connectDevice(app.ports.mqttPort as number, device)
  const report = async (body: object, time = Date.now()) =>
    client.publish(`voltkeep/${device.code}/up/status`, { id: `r${++serial}`, time, ...body })
  return { device, client, report }
}
const readings = async ({ id }: { id: number }, token = admin) =>
  app.call(listReadings, { id: String(id) }, token)
const compartments = async ({ id }: { id: number }, token = admin) =>
  app.call(listCompartments, { id: String(id) }, token)

describe('the readings of a device', () => {
  test('are the newest values of its status and of each field of its compartments', async () => {
    const { device, client, report } = await cabinet()
    expect((await readings(device)).data).toEqual([])
    await report({
      status: { 柜内温度: 31.5, 市电正常: true, 备注: '正常' },
      compartments: [
        { no: 10, state: 'empty' },
        { no: 2, state: 'charging', batteryCode: 'BT1', soc: 64, isDoorOpen: false },
      ],
    })
    const { data } = await readings(device)
    expect(
      data.map(({ key, name, unit, value, hasHistory }) => [key, name, unit, value, hasHistory]),
    ).toEqual([
      ['柜内温度', '柜内温度', '℃', 31.5, true],
      ['市电正常', '市电正常', null, true, true],
      ['备注', '备注', null, '正常', false],
      ['compartments.2.state', '2号仓 状态', null, 'charging', false],
      ['compartments.2.isDoorOpen', '2号仓 柜门打开', null, false, true],
      ['compartments.2.batteryCode', '2号仓 电池编号', null, 'BT1', false],
      ['compartments.2.soc', '2号仓 SOC', '%', 64, true],
      ['compartments.10.state', '10号仓 状态', null, 'empty', false],
    ])
    await client.disconnect()
  })

  test('are replaced as a whole by the next report, and not by an older one', async () => {
    const { device, client, report } = await cabinet()
    const now = Date.now()
    await report({ status: { a: 1, b: 2 }, compartments: [{ no: 1, soc: 5 }] }, now)
    await report({ status: { a: 7 }, compartments: [{ no: 1, soc: 9 }] }, now - 60_000)
    expect((await readings(device)).data.map(({ key, value }) => [key, value])).toEqual([
      ['a', 1],
      ['b', 2],
      ['compartments.1.soc', 5],
    ])
    await report({ status: { c: 3 } }, now + 1)
    expect((await readings(device)).data.map(({ key, value }) => [key, value])).toEqual([['c', 3]])
    await client.disconnect()
  })

  test('of a report with a wrong compartment change nothing, and the refusal names each wrong field', async () => {
    const { device, client, report } = await cabinet()
    await report({ status: { a: 1 }, compartments: [{ no: 1, soc: 50 }] })
    // Acknowledged all the same, so that it does not come for ever.
    await report({
      status: { a: 2 },
      compartments: [{ no: 1, soc: 130 }, { no: 2, state: 'open' }, { soc: 1 }],
    })
    await expect
      .poll(async () => {
        const { data } = await app.call(listIntakeRefusals, { code: device.code }, admin)
        return data.map(({ reason, detail }) => [reason, detail])
      })
      .toEqual([
        [
          'badPayload',
          'compartments[0].soc应为 0 到 100 的数字；compartments[1].state应为 empty、charging、full、idle、fault、disabled 之一；缺少compartments[2].no',
        ],
      ])
    expect((await readings(device)).data.map(({ key, value }) => [key, value])).toEqual([
      ['a', 1],
      ['compartments.1.soc', 50],
    ])
    await client.disconnect()
  })

  test('out of scope are answered like those of a device that does not exist', async () => {
    const { device, client, report } = await cabinet()
    await report({ status: { a: 1 } })
    const elsewhere = await insertOrganization(app.db)
    const { token } = await app.asUser({ organizationId: elsewhere, functionCodes: ['equip:list'] })
    for (const ask of [readings, compartments]) {
      const said = async (id: number) => {
        const { status, message, refusal } = await ask({ id }, token)
        return { status, message, refusal }
      }
      expect(await said(device.id)).toEqual(await said(999_999))
      expect(await said(device.id)).toMatchObject({ refusal: 'deviceNotFound' })
    }
    await client.disconnect()
  })
})

test('who has read a device is told when it reports again, and nobody of devices that nobody reads', async () => {
  const watched = await cabinet()
  const other = await cabinet()
  const stream = new AbortController()
  const response = await fetch(`${app.url}/api/stream`, {
    headers: { authorization: `Bearer ${admin}` },
    signal: stream.signal,
  })
  const told: string[] = []
  const reading = (async () => {
    for await (const chunk of response.body ?? []) told.push(new TextDecoder().decode(chunk))
  })().catch(() => undefined)
  await expect.poll(() => told.join('')).toContain('ready')
  await readings(watched.device)
  // The notice of the reading goes through the database.
  await expect
    .poll(async () => {
      await other.report({ status: { a: 1 } })
      await watched.report({ status: { a: 1 } })
      return told.join('')
    })
    .toContain(`"noun":"readings","added":[],"changed":["${watched.device.id}"]`)
  expect(told.join('')).not.toMatch(new RegExp(`"noun":"readings"[^}]*"${other.device.id}"`))
  stream.abort()
  await reading
  await Promise.all([watched.client.disconnect(), other.client.disconnect()])
})

describe('the compartments of a device', () => {
  test('stand in the arrangement of its model, all of them, whatever was reported', async () => {
    const { device, client, report } = await cabinet()
    const before = (await compartments(device)).data
    expect(before).toMatchObject({ reportTime: null, count: 12, columns: 3 })
    expect(before.compartments.map(({ no }) => no)).toEqual(
      Array.from({ length: 12 }, (_, index) => index + 1),
    )
    await report({
      status: {},
      compartments: [
        { no: 14, state: 'full' },
        { no: 3, soc: 50 },
      ],
    })
    const after = (await compartments(device)).data
    expect(after).toMatchObject({ reportTime: expect.any(String), count: 14, columns: 3 })
    expect(after.compartments[2]).toEqual({ no: 3, soc: 50, alarms: [], outside: [], implausible: [] })
    expect(after.compartments[3]).toEqual({ no: 4, alarms: [], outside: [], implausible: [] })
    expect(after.compartments[13]).toMatchObject({ no: 14, state: 'full' })
    await client.disconnect()
  })

  test('say which of their values are out of the normal band, and which no measurement can be', async () => {
    const { device, client, report } = await cabinet()
    await report({
      status: {},
      compartments: [
        { no: 1, temperature: 61, soh: 60, soc: 3 },
        { no: 2, temperature: -3276.8, soh: 95 },
      ],
    })
    const { compartments: all } = (await compartments(device)).data
    expect(all.slice(0, 3).map(({ outside, implausible }) => [outside, implausible])).toEqual([
      [['soh', 'temperature'], []],
      [[], ['temperature']],
      [[], []],
    ])
    await client.disconnect()
  })

  test('are none in a device that has none', async () => {
    const { device, client, report } = await cabinet({ modelId: batteryModel })
    await report({ status: { soc: 80 } })
    expect((await compartments(device)).data).toMatchObject({ count: 0, compartments: [] })
    await client.disconnect()
  })

  test('carry the active alarms that name them, the most severe first, for who may list alarms', async () => {
    const { device, client } = await cabinet()
    await app.database.pool.query(`
      WITH entry AS (
        INSERT INTO dictionary_entry (type, code, name, note, alarm_level, analysis_type)
        VALUES ('ALARM', 'RDG1', '仓位过温', '', 3, 'BIT'), ('ALARM', 'RDG2', '5号仓门异常', '', 1, 'BIT')
        RETURNING id, code
      )
      INSERT INTO semaphore_definition (entry_id, equip_classify, bit_position, name)
      SELECT id, 'EC', n, (n + 1) || '号仓位过温' FROM entry, generate_series(0, 11) AS n WHERE code = 'RDG1'`)
    const warm = await insertAlarm(app.db, device, 'RDG1', 3, { value: 0b10001 })
    const door = await insertAlarm(app.db, device, 'RDG2', 1, { value: 1 })
    await insertAlarm(app.db, device, 'RDG3', 1, { value: 1 })
    const { data } = await compartments(device)
    const named = data.compartments.flatMap(({ no, alarms }) => alarms.map(({ id, code }) => [no, id, code]))
    expect(named).toEqual([
      [1, warm, 'RDG1'],
      [5, door, 'RDG2'],
      [5, warm, 'RDG1'],
    ])
    expect(data.compartments[0]?.alarms[0]).toMatchObject({ name: '仓位过温', level: 3 })
    const { rows } = await app.database.pool.query(
      'SELECT p.organization_id AS id FROM device d JOIN operator p ON p.id = d.operator_id WHERE d.id = $1',
      [device.id],
    )
    const { token } = await app.asUser({ organizationId: rows[0].id, functionCodes: ['equip:list'] })
    expect((await compartments(device, token)).data.compartments.flatMap(({ alarms }) => alarms)).toEqual([])
    await client.disconnect()
  })
})
