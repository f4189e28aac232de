import {
  exportBatteries,
  exportBatterySeries,
  exportStock,
  formatDateTime,
  listAlarmHistory,
  listBatteries,
  listBatteryAlarms,
  listDevices,
  listStock,
  readBattery,
  readBatterySeries,
  readStock,
  trackBattery,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import {
  insertAlarm,
  insertBatteries,
  insertDevice,
  insertOperator,
  insertOrganization,
} from '../../../test/factories.ts'
import { rowsOfSheet } from '../../../test/sheets.ts'

const app = await appOfTests()
const admin = await app.asAdmin()
const organizationId = await insertOrganization(app.db)
const operatorId = await insertOperator(app.db, { organizationId })
const near = await insertDevice(app.db, { operatorId })
const second = await insertDevice(app.db, { operatorId })
const far = await insertDevice(app.db)
await insertBatteries(app.db, [near.id, second.id, far.id])
const codeOf = ({ id }: { id: number }) => `BAT${id}`
const reader = (
  await app.asUser({
    organizationId,
    functionCodes: [
      listBatteries.access,
      exportBatteries.access,
      listStock.access,
      exportStock.access,
      listDevices.access,
      listAlarmHistory.access,
    ],
  })
).token

/** A stay of a battery, some minutes ago; without an end it goes on. */
const insertStay = (
  code: string,
  deviceId: number,
  fromMinutes: number,
  toMinutes: number | null,
  compartment = 2,
) =>
  sql`
    INSERT INTO battery_stay (device_id, compartment, battery_code, started_at, seen_at, ended_at, soc_in, soc_in_at,
      soc_out, soc_out_at)
    SELECT ${deviceId}, ${compartment}, ${code}, f, coalesce(t, now()), t, 10, f, 90, coalesce(t, now())
    FROM (SELECT date_trunc('second', now()) - ${fromMinutes} * interval '1 minute' AS f,
      date_trunc('second', now()) - ${toMinutes}::float8 * interval '1 minute' AS t) AS m`.execute(app.db)

const daysAgo = (days: number) => formatDateTime(new Date(Date.now() - days * 86_400_000))

const codesFor = async (input: Record<string, unknown>, token = reader) => {
  const { data, total } = await app.call(listBatteries, input, token)
  expect(total).toBe(data.length)
  return data.map(({ code }) => code)
}

test('batteries are listed within the scope, and by each filter', async () => {
  const own = [codeOf(near), codeOf(second)].sort()
  expect((await codesFor({})).sort()).toEqual(own)
  expect(await codesFor({ code: codeOf(far) })).toEqual([])
  expect(await codesFor({ code: codeOf(far) }, admin)).toEqual([codeOf(far)])
  expect(await codesFor({ codes: [codeOf(near), codeOf(far)] })).toEqual([codeOf(near)])
  expect((await codesFor({ state: 'charging' })).sort()).toEqual(own)
  expect((await codesFor({ state: 'inCabinet' })).sort()).toEqual(own)
  for (const state of ['full', 'away', 'conflict']) expect(await codesFor({ state })).toEqual([])
  expect((await codesFor({ operatorId }, admin)).sort()).toEqual(own)
  expect(await app.call(listBatteries, { state: 'gone' }, reader)).toMatchObject({ status: 400 })
})

test('a battery out of the scope is answered like one that does not exist', async () => {
  for (const endpoint of [readBattery, trackBattery, listBatteryAlarms]) {
    const answers = [codeOf(far), 'NONE'].map((code) => app.call(endpoint, { code }, reader))
    expect((await Promise.all(answers)).map(({ status, refusal }) => [status, refusal])).toEqual([
      [404, 'batteryNotFound'],
      [404, 'batteryNotFound'],
    ])
  }
})

test('its way is shown within the scope, the newest stay first, and by time', async () => {
  const code = codeOf(near)
  await insertStay(code, far.id, 600, 500)
  await insertStay(code, second.id, 400, 300)
  const way = async (token: string, input = {}) =>
    (await app.call(trackBattery, { code, ...input }, token)).data.map(({ deviceCode }) => deviceCode)
  expect(await way(reader)).toEqual([near.code, second.code])
  expect(await way(admin)).toEqual([near.code, second.code, far.code])
  const { data } = await app.call(trackBattery, { code, pageSize: 1, pageNum: 2 }, admin)
  expect(data).toMatchObject([{ deviceId: String(second.id), compartment: 2, socIn: 10, socOut: 90 }])
  const [stay] = data
  expect(await way(admin, { startTime: stay?.startTime, endTime: stay?.endTime })).toEqual([second.code])
})

test('a conflict is told to who sees one of its sides, and the other side only to who sees it', async () => {
  const code = codeOf(second)
  await insertStay(code, far.id, 30, null)
  await sql`UPDATE battery_stay SET seen_at = now() WHERE battery_code = ${code}`.execute(app.db)
  await sql`UPDATE battery SET device_id = ${far.id}, compartment = 2, claims = 2,
    started_at = (SELECT started_at FROM battery_stay s WHERE s.battery_code = ${code} AND s.device_id = ${far.id})
    WHERE code = ${code}`.execute(app.db)
  const mine = await app.call(readBattery, { code }, reader)
  expect(mine.data).toMatchObject({ isConflict: true, deviceCode: second.code, compartment: 1 })
  expect(mine.data.claims.map(({ deviceCode }) => deviceCode)).toEqual([second.code])
  const all = await app.call(readBattery, { code }, admin)
  expect(all.data).toMatchObject({ isConflict: true, deviceCode: far.code, compartment: 2 })
  expect(all.data.claims.map(({ deviceCode }) => deviceCode)).toEqual([far.code, second.code])
  expect(await codesFor({ state: 'conflict' })).toEqual([code])
  expect(JSON.stringify(await app.call(listBatteries, {}, reader))).not.toContain(far.code)
})

test('what a foreign cabinet says of a battery that is in both is neither shown nor filtered by', async () => {
  const [mine, theirs] = [await insertDevice(app.db, { operatorId }), await insertDevice(app.db)]
  const code = 'TWICE01'
  await insertBatteries(app.db, [mine.id], () => code)
  await insertStay(code, theirs.id, 30, null)
  await sql`UPDATE battery_stay SET seen_at = now() WHERE battery_code = ${code}`.execute(app.db)
  await sql`
    UPDATE battery SET device_id = ${theirs.id}, compartment = 2, claims = 2, state = 'full', soh = 88, soh_by = ${theirs.id},
      found_by = ${theirs.id}, found_at = '2001-01-01',
      started_at = (SELECT started_at FROM battery_stay s WHERE s.battery_code = ${code} AND s.device_id = ${theirs.id})
    WHERE code = ${code}`.execute(app.db)
  await sql`
    INSERT INTO device_state (device_id, compartments) VALUES (${mine.id}, ${JSON.stringify([
      { no: 1, batteryCode: code, state: 'charging' },
    ])}::jsonb)
    ON CONFLICT (device_id) DO UPDATE SET compartments = excluded.compartments`.execute(app.db)
  const of = async (token: string) => (await app.call(readBattery, { code }, token)).data
  const shown = await of(reader)
  expect(shown).toMatchObject({ state: 'charging', soh: null, foundTime: shown.startTime })
  expect(await of(admin)).toMatchObject({ state: 'full', soh: 88, foundTime: '2001-01-01 00:00:00' })
  const found = async (state: string, token = reader) => (await codesFor({ state, code }, token)).length
  expect(await Promise.all(['full', 'charging', 'inCabinet', 'away'].map((state) => found(state)))).toEqual([
    0, 1, 1, 0,
  ])
  expect(await Promise.all(['full', 'charging'].map((state) => found(state, admin)))).toEqual([1, 0])
  // Seen in the foreign one last, and gone from there.
  await sql`UPDATE battery_stay SET ended_at = now() WHERE battery_code = ${code} AND device_id = ${theirs.id}`.execute(
    app.db,
  )
  await sql`UPDATE battery SET ended_at = now() WHERE code = ${code}`.execute(app.db)
  expect(await Promise.all(['charging', 'inCabinet', 'away'].map((state) => found(state)))).toEqual([1, 1, 0])
  // What the own cabinet has said is.
  await sql`UPDATE battery SET soh_by = ${mine.id}, found_by = ${mine.id} WHERE code = ${code}`.execute(
    app.db,
  )
  expect(await of(reader)).toMatchObject({ soh: 88, foundTime: '2001-01-01 00:00:00' })
  // Said before it was known by whom: of a battery that was in own cabinets alone.
  await sql`UPDATE battery SET soh_by = NULL WHERE code = ${code}`.execute(app.db)
  expect((await of(reader)).soh).toBeNull()
  await sql`DELETE FROM battery_stay WHERE battery_code = ${code} AND device_id = ${theirs.id}`.execute(
    app.db,
  )
  expect((await of(reader)).soh).toBe(88)
  await sql`DELETE FROM battery WHERE code = ${code}`.execute(app.db)
  await sql`DELETE FROM battery_stay WHERE battery_code = ${code}`.execute(app.db)
})

test('its alarms are those of its compartment while it was there', async () => {
  const code = 'ALARMED1'
  await insertBatteries(app.db, [(await insertDevice(app.db, { operatorId })).id], () => code)
  await insertStay(code, near.id, 200, 100, 4)
  await insertAlarm(app.db, near, 'T4', 150, { value: 8, recovered: true })
  await insertAlarm(app.db, near, 'T4X', 50, { value: 8, recovered: true })
  await sql`
    INSERT INTO dictionary_entry (type, code, name, alarm_level) VALUES ('ALARM', 'T4', '4号仓过温', 2),
      ('ALARM', 'T4X', '4号仓过流', 2)`.execute(app.db)
  const { data } = await app.call(listBatteryAlarms, { code }, reader)
  expect(data.map(({ name, compartment, deviceCode }) => [name, compartment, deviceCode])).toEqual([
    ['4号仓过温', 4, near.code],
  ])
})

test('stock is summed by device, operator and region, and says who is about to run out', async () => {
  await sql`UPDATE device_stock SET full_count = 5 WHERE device_id = ${near.id}`.execute(app.db)
  const own = { code: [near.code, second.code] }
  const devices = await app.call(listStock, own, reader)
  expect(devices.data.map(({ code, full, lowCount, usable }) => [code, full, lowCount, usable])).toEqual([
    [second.code, 0, 1, 1],
    [near.code, 5, 0, 6],
  ])
  const low = await app.call(listStock, { ...own, fullFewerThan: 5 }, reader)
  expect(low.data.map(({ code }) => code)).toEqual([second.code])
  for (const groupBy of ['operator', 'region']) {
    const groups = await app.call(listStock, { ...own, groupBy, fullFewerThan: 6 }, reader)
    expect(groups.data.reduce((sum, row) => sum + row.full, 0)).toBe(5)
    expect(groups.data.reduce((sum, row) => sum + row.lowCount, 0)).toBe(2)
    expect(groups.total).toBe(groups.data.length)
    expect((await app.call(listStock, { ...own, groupBy, pageNum: 9 }, reader)).total).toBe(groups.total)
  }
  const sum = await app.call(readStock, own, reader)
  expect(sum.data).toMatchObject({ deviceCount: 2, lowCount: 1, full: 5, charging: 2, usable: 7 })
})

test('the list of devices has their stock, and those about to run out', async () => {
  const bare = await insertDevice(app.db, { operatorId })
  const { data } = await app.call(listDevices, { code: [near.code, bare.code] }, reader)
  const stockOf = new Map(data.map(({ code, fullCount, usableCount }) => [code, [fullCount, usableCount]]))
  expect(stockOf.get(near.code)).toEqual([5, 6])
  expect(stockOf.get(bare.code)).toEqual([null, null])
  const low = await app.call(listDevices, { operatorId, fullFewerThan: 2 }, reader)
  expect(low.data.map(({ code }) => code)).not.toContain(near.code)
  expect(low.data.map(({ code }) => code)).not.toContain(bare.code)
  expect(low.data.map(({ code }) => code)).toContain(second.code)
})

test('the export has the rows of the list', async () => {
  const response = await fetch(`${app.url}/api${exportBatteries.path}?code=${codeOf(near)}`, {
    headers: { authorization: reader },
  })
  expect(response.headers.get('content-disposition')).toContain('attachment')
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1_000)
})

test('stock as a sheet has the rows of the list, by whatever it is grouped, of the scope alone', async () => {
  const rowsOf = async (query: string) => {
    const response = await fetch(
      `${app.url}/api${exportStock.path}?code=${near.code},${second.code},${far.code}${query}`,
      {
        headers: { authorization: reader },
      },
    )
    expect(response.status).toBe(200)
    return rowsOfSheet(response)
  }
  const devices = await rowsOf('')
  expect(devices[0]?.slice(0, 6)).toEqual(['设备编号', '设备名称', '在线', '运营商', '地区', '满电'])
  expect(devices.slice(1).map(([code, , , , , full]) => [code, full])).toEqual([
    [second.code, '0'],
    [near.code, '5'],
  ])
  const operators = await rowsOf('&groupBy=operator&fullFewerThan=2')
  expect(operators[0]?.slice(0, 4)).toEqual(['运营商', '设备数', '满电不足设备数', '满电'])
  expect(operators.slice(1).map((cells) => cells.slice(1, 4))).toEqual([['2', '1', '5']])
})

test('the curves of a battery are of its stays within the scope', async () => {
  const code = 'CURVED1'
  await insertBatteries(app.db, [(await insertDevice(app.db, { operatorId })).id], () => code)
  await insertStay(code, far.id, 300, 200)
  await insertStay(code, second.id, 190, 120)
  const asked = { code, startTime: daysAgo(1), endTime: daysAgo(0) }
  const stays = async (token: string) => {
    const { status, data } = await app.call(readBatterySeries, asked, token)
    expect(status).toBe(200)
    expect(data.series.map(({ key, name, unit }) => [key, name, unit])).toEqual([
      ['soc', 'SOC', '%'],
      ['temperature', '温度', '℃'],
    ])
    return data.stays.map(({ deviceId }) => deviceId)
  }
  expect((await stays(admin)).slice(0, 2)).toEqual([String(far.id), String(second.id)])
  expect(await stays(reader)).toHaveLength(2)
  expect(await stays(reader)).not.toContain(String(far.id))
  const foreign = { ...asked, code: codeOf(far) }
  expect(await app.call(readBatterySeries, foreign, reader)).toMatchObject({
    status: 404,
    refusal: 'batteryNotFound',
  })
  const sheet = (token: string, of: string) =>
    fetch(`${app.url}/api${exportBatterySeries.path}?${new URLSearchParams({ ...asked, code: of })}`, {
      headers: { authorization: token },
    })
  expect((await sheet(reader, codeOf(far))).status).toBe(404)
  expect((await sheet(reader, code)).headers.get('content-disposition')).toContain('attachment')
})
