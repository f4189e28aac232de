import fc from 'fast-check'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import {
  insertDevice,
  insertModel,
  insertOperator,
  insertRegion,
  insertUser,
} from '../../../test/factories.ts'
import { times } from '../../../test/long.ts'
import { type DataScope, everything } from '../../domain/access/data-scope.ts'
import { type PlaceFilter, passes, resolvePlaces } from '../../domain/history/index.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Database } from '../../platform/database/tables.ts'
import { readQuiet } from '../alarms/index.ts'
import { countFleet } from './fleet.queries.ts'
import { deviceFigure, type FleetFigure, figures, versionFigure } from './fleet-figures.ts'
import * as queries from './overview.queries.ts'
import { createOverview } from './overview.service.ts'

const partTypes = ['PART_TYPE_EC_MASTER', 'PART_TYPE_EC_BIN']
const versions = ['1.9', '1.10', 'V2']
const codes = ['01110001', '01110002', 'UNKNOWN']

const database = await databaseOfTests({ isSeeded: true })
const { db } = database
const operators: number[] = await Promise.all([1, 2, 3].map(() => insertOperator(db)))
const models: number[] = [await insertModel(db), await insertModel(db)]
const types: number[] = (
  await db.selectFrom('equip_model').select('equip_type_id').where('id', 'in', models).execute()
).map((row) => row.equip_type_id)
const province = await insertRegion(db)
const regions: number[] = [
  await insertRegion(db, { parentId: province }),
  await insertRegion(db, { parentId: province }),
  await insertRegion(db),
]
const devices: number[] = []
for (let n = 0; n < 40; n += 1) {
  const [operatorId, modelId, regionId] = [operators[n % 3], models[n % 2], regions[(n * 7) % 3]]
  if (!operatorId || !modelId || !regionId) throw new Error('there are places')
  devices.push((await insertDevice(db, { operatorId, modelId, regionId })).id)
}

const count = async (only: readonly FleetFigure[] = figures, deviceIds: readonly number[] | null = null) => {
  for (const figure of only) await countFleet(database.db, figure, deviceIds, readQuiet)
}

const one = <T>(of: readonly T[]) => fc.constantFrom(...of)
const changeOf = () =>
  fc.oneof(
    fc.record({ kind: fc.constant('connection' as const), at: fc.nat(39), value: fc.boolean() }),
    fc.record({ kind: fc.constant('status' as const), at: fc.nat(39), value: one([1, 2, 3]) }),
    fc.record({ kind: fc.constant('place' as const), at: fc.nat(39), value: fc.nat(17) }),
    fc.record({
      kind: fc.constant('alarm' as const),
      at: fc.nat(39),
      value: fc.boolean(),
      code: one(codes),
    }),
    fc.record({
      kind: fc.constant('version' as const),
      at: fc.nat(39),
      value: one(versions),
      part: one(partTypes),
      addrId: one(['1', '2']),
    }),
    fc.record({
      kind: fc.constant('shelf' as const),
      at: fc.nat(39),
      value: one(['device', 'operator', 'none']),
    }),
    fc.record({ kind: fc.constant('stock' as const), at: fc.nat(39), value: fc.nat(4) }),
  )
type Change = ReturnType<typeof changeOf> extends fc.Arbitrary<infer T> ? T : never

const { id: maker } = await insertUser(db, { functionCodes: ['alarm:shelve'] })

/** Of an operator's devices, or of the one device. */
async function shelve(operatorId: number | null, deviceId: number): Promise<void> {
  await sql`
    WITH made AS (
      INSERT INTO alarm_shelf (kind, organization_id, filter, reason, start_at, end_at, decided_by, decided_by_name)
      VALUES ('shelve', 1, ${operatorId === null ? null : JSON.stringify({ operatorId: String(operatorId) })}::jsonb,
        '检修', now() - interval '1 hour', now() + interval '8 hours', ${maker}, 'maker')
      RETURNING id
    )
    INSERT INTO alarm_shelf_target (shelf_id, device_id)
    SELECT id, ${deviceId} FROM made WHERE ${operatorId}::int IS NULL`.execute(db)
}

/** Of what is kept quiet, said plainly: an alarm of smoke never is. */
const isShelved = sql`(semaphore_code <> '01110002' AND EXISTS (
  SELECT FROM alarm_shelf f WHERE (f.filter ->> 'operatorId')::int = operator_id
    OR EXISTS (SELECT FROM alarm_shelf_target g WHERE g.shelf_id = f.id AND g.device_id = alarm_state.device_id)))`

async function make(change: Change): Promise<number> {
  const { db } = database
  const id = devices[change.at] as number
  if (change.kind === 'connection') {
    // Like presence: an unchanged state keeps its time. Every third device went offline two days ago.
    await sql`
      UPDATE device_state SET is_online = ${change.value}, online_changed_at = CASE
        WHEN is_online = ${change.value} AND online_changed_at IS NOT NULL THEN online_changed_at
        ELSE now() - ${change.at % 3 === 0 ? 48 : 0} * interval '1 hour' END
      WHERE device_id = ${id}`.execute(db)
  } else if (change.kind === 'status') {
    await sql`UPDATE device SET business_status = ${change.value} WHERE id = ${id}`.execute(db)
  } else if (change.kind === 'place') {
    const place = [
      operators[change.value % 3],
      models[change.value % 2],
      regions[Math.floor(change.value / 6)],
    ]
    const moved = sql`operator_id = ${place[0]}, model_id = ${place[1]}, region_id = ${place[2]}`
    await sql`UPDATE device SET ${moved} WHERE id = ${id}`.execute(db)
    await sql`UPDATE alarm_state SET ${moved} WHERE device_id = ${id}`.execute(db)
  } else if (change.kind === 'alarm') {
    await sql`
      INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
        operator_id, model_id, region_id)
      SELECT id, ${change.code}, id, ${change.value}, 1, now(), now(), operator_id, model_id, region_id
      FROM device WHERE id = ${id}
      ON CONFLICT (device_id, semaphore_code) DO UPDATE SET is_active = excluded.is_active`.execute(db)
  } else if (change.kind === 'shelf') {
    if (change.value === 'none') await sql`DELETE FROM alarm_shelf`.execute(db)
    else await shelve(change.value === 'operator' ? (operators[change.at % 3] as number) : null, id)
  } else if (change.kind === 'stock') {
    await sql`
      INSERT INTO device_stock (device_id, full_count, charging_count, idle_count, empty_count, faulty_count,
        disabled_count)
      VALUES (${id}, ${change.value}, 0, 0, 0, 0, 0)
      ON CONFLICT (device_id) DO UPDATE SET full_count = excluded.full_count`.execute(db)
  } else {
    await sql`
      INSERT INTO device_version (device_id, part_type, addr_id, version, reported_at)
      VALUES (${id}, ${change.part}, ${change.addrId}, ${change.value}, now())
      ON CONFLICT (device_id, part_type, addr_id) DO UPDATE SET version = excluded.version`.execute(db)
  }
  return id
}

const scopeOfTest = () =>
  fc.record({
    operatorIds: fc.option(fc.subarray([0, 1, 2]), { nil: null }),
    equipTypeIds: fc.option(fc.subarray([0, 1]), { nil: null }),
    regionIds: fc.option(fc.subarray([0, 1, 2]), { nil: null }),
  })

const resolved = (scope: { [K in keyof DataScope]: number[] | null }): DataScope => ({
  operatorIds: scope.operatorIds?.map((at) => operators[at] as number) ?? null,
  equipTypeIds: scope.equipTypeIds?.map((at) => types[at] as number) ?? null,
  regionIds: scope.regionIds?.map((at) => regions[at] as number) ?? null,
})

const plain = async (text: ReturnType<typeof sql>) =>
  ((await text.execute(database.db)).rows as { key: string; n: number }[])
    .map(({ key, n }) => `${key}=${n}`)
    .sort()

/** The reference figures, read from the tables of devices, alarms and versions. */
async function plainFigures(places: PlaceFilter) {
  const where = passes({ ...places, codes: null })
  return {
    devices: await plain(sql`
      SELECT CASE business_status WHEN 2 THEN 'undelivered' WHEN 3 THEN 'commissioning'
        ELSE CASE WHEN is_online THEN 'online' WHEN online_changed_at IS NULL THEN 'never' ELSE 'offline' END END AS key,
        count(*)::int AS n
      FROM device JOIN device_state ON device_id = id WHERE ${where} GROUP BY 1`),
    away: await plain(sql`
      SELECT 'all' AS key, count(*)::int AS n FROM device JOIN device_state ON device_id = id
      WHERE business_status = 1 AND NOT is_online AND online_changed_at < now() - interval '24 hours' AND ${where}`),
    alarms: await plain(sql`SELECT semaphore_code AS key, count(*)::int AS n FROM alarm_state
      WHERE is_active AND NOT ${isShelved} AND ${where} GROUP BY 1`),
    alarmed: await plain(sql`SELECT 'all' AS key, count(DISTINCT device_id)::int AS n FROM alarm_state
      WHERE is_active AND NOT ${isShelved} AND ${where}`),
    shelved: await plain(sql`SELECT 'all' AS key, count(*)::int AS n FROM alarm_state
      WHERE is_active AND ${isShelved} AND ${where}`),
    low: await plain(sql`
      SELECT 'all' AS key, count(*)::int AS n FROM device d JOIN device_state s ON s.device_id = d.id
      JOIN device_stock k ON k.device_id = d.id
      WHERE d.business_status = 1 AND s.is_online AND k.full_count < 2 AND ${where}`),
    versions: await plain(sql`SELECT part_type || ' ' || v.version AS key, count(DISTINCT device_id)::int AS n
      FROM device_version v JOIN device d ON v.device_id = d.id WHERE ${where} GROUP BY 1`),
    operators: await plain(sql`
      SELECT d.operator_id || ' ' || count(*) FILTER (WHERE s.is_online) || ' ' || count(*) FILTER (WHERE NOT s.is_online)
          || ' ' || (SELECT count(*) FILTER (WHERE NOT ${isShelved}) || ' ' || count(*) FILTER (WHERE ${isShelved})
            FROM alarm_state WHERE is_active AND operator_id = d.operator_id AND ${where}) AS key,
        1 AS n
      FROM device d JOIN device_state s ON s.device_id = d.id
      WHERE business_status = 1 AND online_changed_at IS NOT NULL AND ${where} GROUP BY d.operator_id`),
  }
}

async function keptFigures(places: PlaceFilter) {
  const { db } = database
  const sorted = (list: string[]) => list.sort()
  const states = await queries.countDevices(db, places)
  const operatorRows = await queries.listOperators(db, places, 100)
  return {
    devices: sorted([...states].filter(([, n]) => n > 0).map(([key, n]) => `${key}=${n}`)),
    away: [`all=${await queries.countLongOffline(db, places)}`],
    alarms: sorted(
      (await queries.countActiveAlarms(db, places)).map((row) => `${row.semaphoreCode}=${row.count}`),
    ),
    alarmed: [`all=${await queries.countDevicesWithAlarm(db, places)}`],
    shelved: [`all=${await queries.countShelved(db, places)}`],
    low: [`all=${await queries.countLowStock(db, places)}`],
    versions: sorted(
      (await queries.countVersions(db, places)).map((row) => `${row.partType} ${row.version}=${row.count}`),
    ),
    operators: sorted(
      operatorRows.map(
        (row) => `${row.id} ${row.onlineCount} ${row.offlineCount} ${row.alarmCount} ${row.shelvedCount}=1`,
      ),
    ),
  }
}

// proves: screen home
test('kept figures equal those of the tables, in any scope, after any changes', async () => {
  await count()
  await fc.assert(
    fc.asyncProperty(
      fc.array(changeOf(), { minLength: 1, maxLength: 25 }),
      scopeOfTest(),
      async (changes, drawn) => {
        const touched: number[] = []
        for (const change of changes) touched.push(await make(change))
        // The ids that the notices would contain: a move names no devices.
        const hasMoved = changes.some(({ kind }) => kind === 'place' || kind === 'status' || kind === 'shelf')
        await count(figures, hasMoved ? null : touched)
        const places = await resolvePlaces(database.db, resolved(drawn), {})
        const { operators: expected, ...others } = await plainFigures(places)
        const { operators: found, ...kept } = await keptFigures(places)
        expect(kept).toEqual(others)
        // An operator whose only figures are alarms of devices out of operation is only in the one list; an operator
        // without problems is only in the other.
        expect(expected.filter((row) => !row.endsWith(' 0 0 0=1'))).toEqual(
          found.filter((row) => !/^\d+ 0 0 \d+ \d+=1$/.test(row)),
        )
      },
    ),
    { numRuns: times(15, 40) },
  )
})

test('the change over a day is what was counted since, and the first count is not a change', async () => {
  const { db } = database
  await sql`TRUNCATE fleet_count, fleet_change, fleet_figure`.execute(db)
  await sql`UPDATE device SET business_status = 1`.execute(db)
  await sql`UPDATE device_state SET is_online = true, online_changed_at = now()`.execute(db)
  await sql`UPDATE alarm_state SET is_active = false`.execute(db)
  await count()
  const places = await resolvePlaces(db, everything, {})
  expect(await queries.readChanges(db, places)).toBeNull()
  await sql`UPDATE fleet_figure SET begun_at = now() - interval '3 days'`.execute(db)
  await sql`UPDATE device_state SET is_online = false WHERE device_id = ANY(${devices.slice(0, 7)}::int[])`.execute(
    db,
  )
  await count([deviceFigure], devices.slice(0, 7))
  expect(await queries.readChanges(db, places)).toMatchObject({
    onlineCount: -7,
    offlineCount: 7,
    alarmCount: 0,
  })
  // Counts older than the requested day are not part of the change.
  await sql`UPDATE fleet_change SET hour = hour - interval '26 hours'`.execute(db)
  await sql`UPDATE device_state SET is_online = true WHERE device_id = ${devices[0]}`.execute(db)
  await count([deviceFigure], [devices[0] as number])
  expect(await queries.readChanges(db, places)).toMatchObject({ onlineCount: 1, offlineCount: -1 })
})

test('a count without changes writes nothing', async () => {
  const written = async () =>
    (
      await sql<{ state: string }>`
        SELECT string_agg(ctid::text || xmin::text, ',' ORDER BY ctid) AS state FROM fleet_count`.execute(
        database.db,
      )
    ).rows[0]?.state
  await count()
  const before = await written()
  await count()
  await count([deviceFigure, versionFigure], devices)
  expect(await written()).toBe(before)
})

test('no call of the home page reads devices, their states or the history', async () => {
  const asked: { sql: string; parameters: readonly unknown[] }[] = []
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool: database.pool }),
    log: ({ query }) => void asked.push(query),
  })
  const actor = { userId: (await insertUser(database.db)).id, organizationId: 1 } as Actor
  const { readOverview } = createOverview({ db })
  for (const isSystem of [true, false]) await readOverview({ ...actor, isSystem })
  const read = new Set<string>()
  for (const { sql: text, parameters } of asked) {
    if (!/^\s*(with|select)/i.test(text)) continue
    const explained = await database.pool.query(`EXPLAIN (FORMAT JSON) ${text}`, [...parameters])
    const plan = JSON.stringify(explained.rows)
    for (const [, name] of plan.matchAll(/"Relation Name":"([^"]+)"/g)) read.add(name as string)
  }
  expect(read).toContain('fleet_count')
  const forbidden = [...read].filter((name) =>
    /^(device|device_.*|alarm_state|(alarm|event)_history.*)$/.test(name),
  )
  expect(forbidden).toEqual([])
})
