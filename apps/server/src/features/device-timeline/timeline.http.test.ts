import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ackAlarms,
  insertDevice as addDevice,
  exportDeviceTimeline,
  formatDateTime,
  listAdvertisements,
  listAlarms,
  listDevices,
  listEvents,
  listLogExtractions,
  listOperations,
  listParameterBatches,
  listUpgradeLog,
  listUpgradeTasks,
  readDeviceTimeline,
  type TimelineKind,
  updateDevice,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import {
  insertAlarm,
  insertDevice,
  insertLogExtraction,
  insertOperator,
  insertOrganization,
} from '../../../test/factories.ts'
import { readSpreadsheet } from '../../platform/files/sheets/spreadsheet-reader.ts'

const app = await appOfTests()
const admin = await app.asAdmin()
const organizationId = await insertOrganization(app.db)
const operatorId = await insertOperator(app.db, { organizationId })
const device: { id: number; code: string } = await insertDevice(app.db, { operatorId })
const other = await insertDevice(app.db, { operatorId })
const { rows } = await sql<{ id: number }>`SELECT id FROM app_user WHERE login_name = 'admin'`.execute(app.db)
for (const { id } of [device, other]) {
  await sql`
    WITH d AS (SELECT * FROM device WHERE id = ${id})
    INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code,
      first_value, value, recovered_at)
    SELECT ${id} * 1000 + n, date_trunc('day', now()) - n * interval '1 hour', d.id, d.operator_id, d.model_id,
      d.region_id, '01110001', 1, n, NULL
    FROM d, generate_series(1, 5) AS n`.execute(app.db)
  await sql`
    WITH d AS (SELECT * FROM device WHERE id = ${id})
    INSERT INTO event_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, value, is_fault)
    SELECT ${id} * 1000 + n, date_trunc('day', now()) - n * interval '1 hour', d.id, d.operator_id, d.model_id,
      d.region_id, '02110001', n, false
    FROM d, generate_series(1, 5) AS n`.execute(app.db)
  await sql`
    UPDATE device_state SET is_online = true, online_changed_at = now() - interval '2 hours', connected_from = '10.0.0.7'
    WHERE device_id = ${id}`.execute(app.db)
  // A repeated connection is not a change.
  await sql`UPDATE device_state SET last_report_at = now(), online_changed_at = now() WHERE device_id = ${id}`.execute(
    app.db,
  )
  await sql`
    UPDATE device_state SET is_online = false, online_changed_at = now() - interval '1 hour' WHERE device_id = ${id}`.execute(
    app.db,
  )
  for (let n = 0; n < 3; n += 1) {
    await sql`
      INSERT INTO device_command (id, device_id, device_code, topic, body, max_attempts, interval_ms, next_at, deadline,
        created_at)
      VALUES (gen_random_uuid(), ${id}, 'x', 'setParameters', '{}', 1, 1, now(), now(), date_trunc('day', now()))
    `.execute(app.db)
  }
  await insertLogExtraction(app.db, { deviceId: id, userId: rows[0]?.id as number })
}
const [row] = (await app.call(listDevices, { code: [device.code] }, admin)).data
if (!row) throw new Error('the device is listed')
await app.call(
  updateDevice,
  {
    id: row.id,
    name: '新名字',
    operatorId: row.operatorId,
    equipModelId: row.equipModelId,
    regionCode: row.regionCode,
  },
  admin,
)

const read = async (input: object, token = admin) =>
  (await app.call(readDeviceTimeline, { id: String(device.id), limit: 100, ...input }, token)).data

test('contains everything that the console keeps of this device, newest first', async () => {
  const { entries, next } = await read({})
  const count = (kind: TimelineKind) => entries.filter((entry) => entry.kind === kind).length
  expect([
    count('alarm'),
    count('event'),
    count('connection'),
    count('command'),
    count('log'),
    count('operation'),
  ]).toEqual([5, 5, 2, 3, 1, 1])
  expect(
    entries.filter(({ kind }) => kind === 'connection').map(({ state, detail }) => [state, detail]),
  ).toEqual([
    ['offline', null],
    ['online', '10.0.0.7'],
  ])
  expect(entries.map(({ time }) => time)).toEqual(
    entries
      .map(({ time }) => time)
      .sort()
      .reverse(),
  )
  expect(next).toBeNull()
})

test('contains an event’s value with its unit, where the dictionary has one', async () => {
  const valuesOf = async () => (await read({ kinds: ['event'] })).entries.map(({ value }) => value)
  const code = '02110001'
  await sql`UPDATE dictionary_entry SET unit = NULL WHERE type = 'EVENT' AND code = ${code}`.execute(app.db)
  expect(await valuesOf()).toEqual(['1', '2', '3', '4', '5'])
  await sql`
    INSERT INTO dictionary_entry (type, code, name, note, unit) VALUES ('EVENT', ${code}, '当前电量', '', '%')
    ON CONFLICT (type, code) DO UPDATE SET unit = '%'`.execute(app.db)
  expect(await valuesOf()).toEqual(['1%', '2%', '3%', '4%', '5%'])
})

test('says of an alarm what its value means', async () => {
  const cabinet = await insertDevice(app.db, { operatorId })
  const id = await insertAlarm(app.db, cabinet, '01120003', 60, { value: 0b1010 })
  await insertAlarm(app.db, cabinet, 'UNKNOWN', 120)
  await app.call(ackAlarms, { ids: [id] }, admin)
  const { entries } = (
    await app.call(readDeviceTimeline, { id: String(cabinet.id), kinds: ['alarm', 'handling'] }, admin)
  ).data
  expect(entries.map(({ kind, name }) => [kind, name])).toEqual([
    ['handling', '仓位过温 · 2号仓、4号仓'],
    ['alarm', '仓位过温 · 2号仓、4号仓'],
    ['alarm', 'UNKNOWN'],
  ])
})

test('is the same in pages of any size, without gap or repetition, also for equal times', async () => {
  const whole = (await read({})).entries.map(({ kind, id }) => `${kind}/${id}`)
  for (const limit of [1, 2, 3, 7]) {
    const walked: string[] = []
    for (let before: string | null | undefined; before !== null; ) {
      const stretch = await read({ limit, ...(before && { before }) })
      walked.push(...stretch.entries.map(({ kind, id }) => `${kind}/${id}`))
      before = stretch.next
    }
    expect(walked).toEqual(whole)
  }
})

test('is filtered by kinds', async () => {
  const { entries } = await read({ kinds: ['alarm', 'log'] })
  expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(['alarm', 'log']))
  expect(
    await app.call(readDeviceTimeline, { id: String(device.id), kinds: ['what'] as never }, admin),
  ).toMatchObject({
    status: 400,
  })
})

test('of a device out of scope is answered like that of a device that does not exist', async () => {
  const elsewhere = await insertOrganization(app.db)
  const { token } = await app.asUser({
    organizationId: elsewhere,
    functionCodes: ['equip:list', 'alarm:list'],
  })
  const asked = async (id: string) => {
    const { status, message, refusal } = await app.call(readDeviceTimeline, { id }, token)
    return { status, message, refusal }
  }
  expect(await asked(String(device.id))).toEqual(await asked('999999'))
  expect((await asked(String(device.id))).status).toBe(404)
})

test('leaves out what the user may not list elsewhere, also when it is requested by kind', async () => {
  const { token } = await app.asUser({ organizationId, functionCodes: ['equip:list'] })
  const ofDevice = ['connection', 'command']
  const { entries, kinds } = await read({}, token)
  expect([...kinds].sort()).toEqual([...ofDevice].sort())
  expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(ofDevice))
  expect((await read({ kinds: ['log', 'alarm', 'batch'] }, token)).entries).toEqual([])
  for (const [list, ...kinds] of [
    [listAlarms, 'alarm', 'handling'],
    [listEvents, 'event'],
    [listLogExtractions, 'log'],
    [listUpgradeTasks, 'upgrade'],
    [listUpgradeLog, 'upgrade'],
    [listParameterBatches, 'batch'],
    [listAdvertisements, 'advertisement'],
    [listOperations, 'operation'],
  ] as const) {
    const reader = await app.asUser({ organizationId, functionCodes: ['equip:list', list.access] })
    expect([...(await read({}, reader.token)).kinds].sort()).toEqual([...ofDevice, ...kinds].sort())
  }
})

test('refuses an invalid cursor', async () => {
  for (const before of [
    'now',
    '2026-11-20 09:30:05+08|alarm|x',
    '2026-11-20 09:30:05+08|what|1',
    '2026-99-20 09:30:05+08|alarm|1',
  ]) {
    expect(await app.call(readDeviceTimeline, { id: String(device.id), before }, admin)).toMatchObject({
      status: 400,
    })
  }
})

test('a day as the end jumps to that day, and a range leaves out what is before it', async () => {
  const yesterday = formatDateTime(new Date(Date.now() - 86_400_000)).slice(0, 10)
  const { entries } = await read({ endTime: yesterday })
  expect(entries.length).toBeGreaterThan(0)
  expect(entries.every(({ time }) => time.slice(0, 10) <= yesterday)).toBe(true)
  const [newest] = entries
  const only = await read({ startTime: newest?.time, endTime: newest?.time })
  expect(new Set(only.entries.map(({ time }) => time))).toEqual(new Set([newest?.time]))
  expect(
    await app.call(
      readDeviceTimeline,
      { id: String(device.id), startTime: '2026-11-02', endTime: '2026-11-01' },
      admin,
    ),
  ).toMatchObject({ status: 400 })
})

test('an operation tells exactly what it changed', async () => {
  const { entries } = await read({ kinds: ['operation'] })
  expect(entries[0]?.changes).toMatchObject({ after: { name: '新名字' } })
  expect((await read({ kinds: ['alarm'] })).entries.every(({ changes }) => changes === null)).toBe(true)
})

test('an addition is told with what was added, also in the file', async () => {
  const form = {
    code: 'TIMELINE0001',
    name: '新设备',
    operatorId: row.operatorId,
    equipModelId: row.equipModelId,
    regionCode: row.regionCode,
  }
  const { id } = (await app.call(addDevice, form, admin)).data
  const { status, data } = await app.call(readDeviceTimeline, { id, limit: 10 }, admin)
  expect(status).toBe(200)
  expect(data.entries).toMatchObject([
    {
      kind: 'operation',
      by: 'admin',
      changes: { before: null, after: { code: form.code, name: form.name } },
    },
  ])
  const path = exportDeviceTimeline.path.replace(':id', id)
  const file = await fetch(`${app.url}/api${path}`, { headers: { authorization: admin } })
  expect(file.status).toBe(200)
  expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(1_000)
})

test('a file of it has a row for each entry, and is refused out of scope', async () => {
  const path = exportDeviceTimeline.path.replace(':id', String(device.id))
  const download = (token: string) =>
    fetch(`${app.url}/api${path}?kinds=alarm,operation`, { headers: { authorization: token } })
  const answer = await download(admin)
  expect(answer.status).toBe(200)
  const directory = mkdtempSync(join(tmpdir(), 'timeline-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const name = join(directory, 'answer.xlsx')
  writeFileSync(name, Buffer.from(await answer.arrayBuffer()))
  const rows: (string | undefined)[][] = []
  for await (const { cells } of readSpreadsheet(name)) rows.push(cells)
  expect(rows[0]?.slice(0, 4)).toEqual(['时间', '类型', '内容', '状态'])
  expect(rows.slice(1).map((cells) => cells[1])).toEqual(['操作', '告警', '告警', '告警', '告警', '告警'])
  expect(rows[1]?.[7]).toContain('新名字')
  const elsewhere = await insertOrganization(app.db)
  const { token } = await app.asUser({ organizationId: elsewhere, functionCodes: ['equip:export'] })
  expect((await download(token)).status).toBe(404)
})
