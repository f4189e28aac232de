import {
  countOrganizations,
  countRegions,
  endAlarmShelf,
  insertAlarmShelf,
  insertDevice as insertDeviceCall,
  insertDictionaryEntry,
  listAlarms,
  listDevices,
  listDeviceVersions,
  longOfflineHours,
  type Overview,
  readActiveLevels,
  readOverview,
  updateDevice,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import {
  insertDevice,
  insertModel,
  insertOperator,
  insertOrganization,
  insertRegion,
} from '../../../test/factories.ts'
import { readQuiet } from '../alarms/index.ts'
import { countFleet } from './fleet.queries.ts'
import { figures } from './fleet-figures.ts'

const app = await appOfTests()
const organizationId = await insertOrganization(app.db)
const operatorId = await insertOperator(app.db, { organizationId })
const modelId = await insertModel(app.db)
const city = await insertRegion(app.db)
const district = { id: await insertRegion(app.db, { parentId: city, code: 'DIST1' }), code: 'DIST1' }
const elsewhere = await insertRegion(app.db, { parentId: city })
const token = (
  await app.asUser({
    organizationId,
    functionCodes: ['alarm:page', 'equip:list', 'equip:insert', 'equip:update', 'equipVersion:list'],
  })
).token
const place = { operatorId, modelId }
const mine = [
  await insertDevice(app.db, { ...place, regionId: district.id }),
  await insertDevice(app.db, { ...place, regionId: district.id }),
  await insertDevice(app.db, { ...place, regionId: elsewhere }),
  await insertDevice(app.db, { ...place, regionId: elsewhere }),
  await insertDevice(app.db, { ...place, regionId: elsewhere, businessStatus: 2 }),
  await insertDevice(app.db, { ...place, regionId: elsewhere, businessStatus: 3 }),
]
const other = await insertDevice(app.db)
const connect = async (ids: (number | undefined)[], isOnline: boolean, hoursAgo = 0) =>
  await sql`
    UPDATE device_state SET is_online = ${isOnline}, online_changed_at = now() - ${hoursAgo} * interval '1 hour'
    WHERE device_id = ANY(${ids}::int[])`.execute(app.db)
// The device in commissioning is connected, but counts neither way.
await connect([mine[0]?.id, mine[1]?.id, mine[5]?.id, other.id], true)
await connect([mine[2]?.id], false, 25)
let id = 1
for (const [device, code, isActive] of [
  [mine[0], '01110001', true],
  [mine[0], 'UNKNOWN', true],
  [mine[1], '01110001', true],
  [mine[2], '01110001', false],
  [other, '01110001', true],
] as const) {
  id += 1
  await sql`
    WITH state AS (
      INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
        operator_id, model_id, region_id)
      SELECT id, ${code}, ${id}::bigint, ${isActive}, 1, now(), now(), operator_id, model_id, region_id
      FROM device WHERE id = ${device?.id}
      RETURNING *
    )
    INSERT INTO history_delta
    SELECT 1, occurred_at::date, operator_id, model_id, region_id, semaphore_code, 1 FROM state`.execute(
    app.db,
  )
}
await sql`
  INSERT INTO device_version (device_id, part_type, addr_id, version, reported_at)
  SELECT device_id, 'PART_TYPE_EC_BIN', addr, version, now() FROM (VALUES
    (${mine[0]?.id}::int, '1', '1.9'), (${mine[0]?.id}, '2', '1.10'), (${mine[1]?.id}, '1', '1.10'), (${other.id}, '1', '1.9')
  ) AS v(device_id, addr, version)`.execute(app.db)
for (const figure of figures) {
  await countFleet(app.db, figure, null, readQuiet)
}

describe('the overview', () => {
  const read = async (): Promise<Overview> => (await app.call(readOverview, {}, token)).data

  // proves: screen home
  test('contains what is wrong now within the scope', async () => {
    const data = await read()
    expect(data).toMatchObject({ deviceCount: 6, devicesWithAlarm: 2, unknownCodes: ['UNKNOWN'] })
    expect(data.activeAlarms.reduce((sum, { count }) => sum + count, 0)).toBe(3)
    expect(data.activeAlarms.at(-1)).toEqual({ level: 0, count: 1 })
    expect(data.topAlarms.map(({ semaphoreCode, count }) => [semaphoreCode, count])).toEqual([
      ['01110001', 2],
      ['UNKNOWN', 1],
    ])
    expect(data.operators).toMatchObject([{ id: String(operatorId), offlineCount: 1, alarmCount: 3 }])
    expect(data.troubledOperators).toBe(1)
  })

  test('gives all pages the number of active alarms per level, for users who may see alarms', async () => {
    const { data } = await app.call(readActiveLevels, {}, token)
    expect(data.levels).toEqual((await read()).activeAlarms.filter(({ count }) => count > 0))
    const { token: other } = await app.asUser({ organizationId, functionCodes: ['equip:list'] })
    expect((await app.call(readActiveLevels, {}, other)).status).toBe(403)
  })

  test('counts devices out of operation or never connected neither as online nor as offline', async () => {
    const counts = {
      onlineCount: 2,
      offlineCount: 1,
      longOfflineCount: 1,
      neverCount: 1,
      undeliveredCount: 1,
      commissioningCount: 1,
    }
    expect(await read()).toMatchObject(counts)
  })

  test('has regions on the level on which the devices differ, the worst first', async () => {
    const { regions } = await read()
    expect(regions).toHaveLength(2)
    expect(regions[0]).toMatchObject({ code: district.code, onlineCount: 2, offlineCount: 0, alarmCount: 3 })
    expect(regions[1]).toMatchObject({ onlineCount: 0, offlineCount: 1, alarmCount: 0 })
  })

  test('has the versions of parts by number of devices, the newest first', async () => {
    const { parts } = await read()
    expect(parts).toMatchObject([
      {
        partType: 'PART_TYPE_EC_BIN',
        versions: [
          { version: '1.10', count: 2 },
          { version: '1.9', count: 1 },
        ],
        otherVersions: 0,
      },
    ])
  })

  test('has figures that are the totals of the lists behind them', async () => {
    const data = await read()
    const activated = { statuses: [1] } as const
    const totals = await Promise.all([
      app.call(listDevices, { ...activated, isOnline: 1 }, token),
      app.call(listDevices, { ...activated, isOnline: 0 }, token),
      app.call(listDevices, { ...activated, offlineHours: longOfflineHours }, token),
      app.call(listDevices, { ...activated, offlineHours: 72 }, token),
      app.call(listDevices, { ...activated, hasConnected: 0 }, token),
      app.call(listDevices, { statuses: [2] }, token),
      app.call(listDevices, { statuses: [3] }, token),
      app.call(listDevices, { hasAlarm: 1 }, token),
      app.call(listAlarms, { semaphoreCode: data.unknownCodes }, token),
      app.call(listAlarms, { alarmLevel: [1] }, token),
      app.call(listDeviceVersions, { partType: 'PART_TYPE_EC_BIN', version: '1.10' }, token),
    ])
    expect(totals.map(({ total }) => total)).toEqual([
      data.onlineCount,
      data.offlineCount,
      data.longOfflineCount,
      0,
      data.neverCount,
      data.undeliveredCount,
      data.commissioningCount,
      data.devicesWithAlarm,
      data.activeAlarms.find(({ level }) => level === 0)?.count,
      data.activeAlarms.find(({ level }) => level === 1)?.count,
      data.parts[0]?.versions[0]?.count,
    ])
  })

  test('has the last thirty days by level, ending with today', async () => {
    const { alarmsByDay, readTime, activeAlarms } = await read()
    expect(alarmsByDay).toHaveLength(30)
    const today = alarmsByDay.at(-1)
    expect(today).toMatchObject({ day: readTime.slice(0, 10), count: 4 })
    const level = activeAlarms.find(({ count }) => count === 2)?.level ?? 0
    expect(today?.levels[level - 1]).toBe(3)
    expect(today?.levels.reduce((sum, count) => sum + count, 0)).toBe(3)
    expect(alarmsByDay.slice(0, -1).every(({ count }) => count === 0)).toBe(true)
  })

  test('is all zeros for a user who sees nothing', async () => {
    const nobody = await app.asUser({ organizationId: await insertOrganization(app.db) })
    const { data } = await app.call(readOverview, {}, nobody.token)
    expect(data).toMatchObject({ deviceCount: 0, onlineCount: 0, devicesWithAlarm: 0, topAlarms: [] })
    expect(data).toMatchObject({ operators: [], regions: [], parts: [] })
  })

  test('follows the level of an alarm in the dictionary', async () => {
    const before = (await read()).operators[0]
    const added = await app.call(
      insertDictionaryEntry,
      {
        type: 'ALARM',
        code: 'UNKNOWN',
        name: '补充的告警',
        note: '测试',
        alarmLevel: 1,
        analysisType: 'VALUE',
      },
      await app.asAdmin(),
    )
    expect(added.message).toBe('创建成功')
    const critical = (before?.criticalCount ?? 0) + 1
    await expect
      .poll(async () => (await read()).operators[0]?.criticalCount, { timeout: 30_000 })
      .toBe(critical)
    expect(await read()).toMatchObject({ unknownCodes: [] })
  })

  test('follows newly registered and activated devices, of which five hundred do not change the online rate', async () => {
    const registered = await app.call(
      insertDeviceCall,
      {
        code: 'NEW1',
        operatorId: String(operatorId),
        equipModelId: String(modelId),
        regionCode: district.code,
      },
      token,
    )
    expect(registered.code).toBe(200)
    await sql`
      INSERT INTO device (code, operator_id, model_id, region_id, business_status, secret_hash)
      SELECT 'BULK' || n, ${operatorId}, ${modelId}, ${district.id}, CASE WHEN n % 2 = 0 THEN 1 ELSE 2 END, '\\x00'
      FROM generate_series(1, 499) n`.execute(app.db)
    // One of them has been offline for nearly a day, and becomes long offline without another change.
    await sql`
      INSERT INTO device_state (device_id, is_online, online_changed_at)
      SELECT id, false, now() - interval '24 hours' + interval '4 seconds' FROM device WHERE code = 'BULK2'`.execute(
      app.db,
    )
    // The next change of the registry is notified, and counts them too.
    const { data: rows } = await app.call(listDevices, { code: ['NEW1'] }, token)
    const { id, name: _name, ...device } = rows[0] ?? { id: '', name: null }
    await app.call(
      updateDevice,
      {
        id,
        operatorId: String(operatorId),
        equipModelId: String(modelId),
        regionCode: district.code,
        businessStatus: 1,
        version: 'version' in device ? device.version : 1,
      },
      token,
    )
    await expect.poll(async () => (await read()).deviceCount, { timeout: 30_000 }).toBe(506)
    await expect.poll(async () => (await read()).neverCount, { timeout: 30_000 }).toBe(1 + 1 + 248)
    expect(await read()).toMatchObject({
      onlineCount: 2,
      offlineCount: 2,
      undeliveredCount: 251,
      commissioningCount: 1,
    })
    await expect.poll(async () => (await read()).longOfflineCount, { timeout: 30_000 }).toBe(2)
  })

  test('counts what is shelved apart, in every scope as the list of each figure has it, and no more when it ends', async () => {
    const codes = ['alarm:page', 'alarm:shelve', 'equip:list', 'organization:list', 'region:list']
    const all = await app.asUser({ organizationId, functionCodes: codes })
    const narrow = await app.asUser({ organizationId, functionCodes: codes, authorities: [['R', 'DIST1']] })
    const foreign = await app.asAdmin()
    const total = async (input: object, as: string) => (await app.call(listAlarms, input, as)).total
    /** Every figure of alarms beside the list that it opens. */
    const compared = async (as: string) => {
      const { data } = await app.call(readOverview, {}, as)
      const standing = data.activeAlarms.reduce((sum, { count }) => sum + count, 0)
      const figuresOf: number[] = [standing, data.shelvedCount, data.devicesWithAlarm]
      const lists = [
        await total({}, as),
        await total({ isShelved: '1' }, as),
        (await app.call(listDevices, { hasAlarm: 1 }, as)).total,
      ]
      for (const row of data.operators) {
        const asked = { operatorId: row.id }
        figuresOf.push(row.alarmCount, row.shelvedCount)
        lists.push(await total(asked, as), await total({ ...asked, isShelved: '1' }, as))
      }
      for (const row of data.regions) {
        const asked = { regionCode: row.code }
        figuresOf.push(row.alarmCount, row.shelvedCount)
        lists.push(await total(asked, as), await total({ ...asked, isShelved: '1' }, as))
      }
      const devices = (await app.call(listDevices, { pageSize: 200 }, as)).data
      for (const device of devices.filter((one) => one.alarmCount + one.shelvedCount > 0)) {
        figuresOf.push(device.alarmCount, device.shelvedCount)
        lists.push(
          await total({ code: [device.code] }, as),
          await total({ code: [device.code], isShelved: '1' }, as),
        )
      }
      for (const call of [countOrganizations, countRegions]) {
        const rows: { alarms: number; shelved: number }[] = (await app.call(call, {}, as)).data
        figuresOf.push(
          rows.reduce((sum, row) => sum + row.alarms, 0),
          rows.reduce((sum, row) => sum + row.shelved, 0),
        )
        lists.push(await total({}, as), await total({ isShelved: '1' }, as))
      }
      return { figures: figuresOf, lists, standing, shelved: data.shelvedCount }
    }
    const agree = (as: string) =>
      expect
        .poll(
          async () => {
            const { figures: found, lists } = await compared(as)
            return found.join() === lists.join() ? 'the same' : `${found.join()} and ${lists.join()}`
          },
          { timeout: 30_000, interval: 500 },
        )
        .toBe('the same')
    const before = await compared(all.token)
    const shelf = { deviceCodes: [mine[0]?.code ?? ''], semaphoreCodes: ['01110001'], reason: '等备件' }
    const { data: made } = await app.call(insertAlarmShelf, shelf, all.token)
    for (const as of [all.token, narrow.token, foreign]) await agree(as)
    expect(await compared(all.token)).toMatchObject({
      standing: before.standing - 1,
      shelved: before.shelved + 1,
    })
    await app.call(endAlarmShelf, { id: String((made as { id: string }).id) }, all.token)
    for (const as of [all.token, narrow.token, foreign]) await agree(as)
    expect(await compared(all.token)).toMatchObject({ standing: before.standing, shelved: before.shelved })
  })
})
