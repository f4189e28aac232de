import { upgradeTargetStates } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { insertDevice, insertModel } from '../../../../test/factories.ts'
import { times } from '../../../../test/long.ts'
import { bytesOfTask, equipTypeOf, insertBoard, insertPackage } from '../../../../test/packages.ts'
import { type DataScope, deviceWithinScope, everything } from '../../../domain/access/data-scope.ts'
import { refreshTally } from './tally.queries.ts'
import {
  countLog,
  countTargets,
  type LogFilter,
  listLog,
  listTargets,
  type TargetFilter,
} from './target-lists.queries.ts'

// Page and total compared with the plain query, for random filters and scopes, with tasks large enough for totals
// from the tally.

const devicesPerPlace = 900
const partTypes = ['PART_TYPE_EC_MASTER', 'PART_TYPE_EC_BIN']
const taskIds = [1, 2, 3]
const startedAt = (taskId: number) => new Date(`2026-0${taskId}-01T08:00:00Z`)

let database: TestDatabase
let scopes: DataScope[]
let equipTypeIds: number[]
let codes: string[]
beforeAll(async () => {
  database = await createTestDatabase({ isSeeded: true })
  const { db } = database
  const places: { operatorId: number; regionId: number; modelId: number; equipTypeId: number }[] = []
  for (let n = 0; n < 4; n += 1) {
    const modelId = await insertModel(db)
    const { id } = await insertDevice(db, { modelId })
    const device = await db
      .selectFrom('device')
      .select(['operator_id', 'region_id'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    places.push({
      operatorId: device.operator_id,
      regionId: device.region_id,
      modelId,
      equipTypeId: await equipTypeOf(db, modelId),
    })
    await sql`
      INSERT INTO device (code, operator_id, model_id, region_id, business_status, secret_hash)
      SELECT 'LIST' || ${n}::int || 'X' || i, ${device.operator_id}, ${modelId}, ${device.region_id}, 1, '\\x00'
      FROM generate_series(1, ${devicesPerPlace}) i`.execute(db)
  }
  equipTypeIds = places.map(({ equipTypeId }) => equipTypeId)
  codes = ['LIST0X1', 'LIST1X2', 'LIST2X900', 'LIST9X9']
  const [a, b, c] = places
  if (!a || !b || !c) throw new Error('there are four places')
  scopes = [
    everything,
    { ...everything, operatorIds: [a.operatorId, b.operatorId, c.operatorId] },
    { ...everything, operatorIds: [a.operatorId] },
    { ...everything, equipTypeIds: [a.equipTypeId, c.equipTypeId] },
    { operatorIds: null, equipTypeIds: [b.equipTypeId], regionIds: [b.regionId] },
    { ...everything, operatorIds: [] },
  ]
  const [older, newer]: [number[], number[]] = [[], []]
  for (const partType of partTypes) {
    older.push((await insertPackage(db, { board: await insertBoard(db, { partType }) })).id)
    newer.push((await insertPackage(db, { board: await insertBoard(db, { partType }), version: '1.5' })).id)
  }
  for (const taskId of taskIds) {
    await sql`
      INSERT INTO upgrade_task (id, type, state, upgrade_at, rule, devices, equip_type_id, created_by, created_by_name,
        organization_id, started_at)
      VALUES (${taskId}, ${taskId === 3 ? 'AUTO' : 'SCHEDULE'}, 'running', now(), '{}', '{}',
        ${equipTypeIds[taskId] ?? 0}, 1, 'admin', 1, ${startedAt(taskId)})`.execute(db)
    await sql`
      INSERT INTO upgrade_task_package
      SELECT ${taskId}::int, n.n, ${bytesOfTask}
      FROM unnest(${[...older, ...newer]}::int[]) WITH ORDINALITY AS n(id, n)
      JOIN software_package k ON k.id = n.id`.execute(db)
    await sql`
      INSERT INTO upgrade_target (task_id, device_id, part_type, package_id, position, stage, rank, state, reason,
        from_versions, created_at)
      SELECT ${taskId}, d.id, p.code, 
        CASE WHEN d.id % 3 = 0 THEN (${newer}::int[])[p.n] ELSE (${older}::int[])[p.n] END, p.n,
        1 + d.id % 3, d.id,
        (${upgradeTargetStates}::text[])[CASE WHEN ${taskId}::int = 1 THEN 1 + d.id % 10 ELSE 5 + d.id % 6 END],
        CASE WHEN d.id % 4 = 0 THEN '原因' || d.id % 5 END, '{"0":"1.3"}', ${startedAt(taskId)}
      FROM device d CROSS JOIN unnest(${partTypes}::text[]) WITH ORDINALITY AS p(code, n)
      WHERE d.code LIKE 'LIST%'`.execute(db)
    await db.transaction().execute((trx) => refreshTally(trx, taskId))
  }
}, 60_000)
afterAll(() => database.close())

const pick = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)] as T
const perhaps = <T>(value: () => T) => (Math.random() < 0.4 ? value() : undefined)
const someStates = () => upgradeTargetStates.filter(() => Math.random() < 0.4)
const page = () => ({ limit: pick([1, 10, 100]), offset: pick([0, 7, 500, 3000, 9000]) })

/** All ids in order, read by plain joins. */
async function plainIds(
  scope: DataScope,
  conditions: readonly RawBuilder<SqlBool>[],
  order: RawBuilder<unknown>,
) {
  const { rows } = await sql<{ id: string }>`
    SELECT t.id FROM upgrade_target t
    JOIN upgrade_task a ON a.id = t.task_id
    JOIN device d ON d.id = t.device_id
    JOIN software_package k ON k.id = t.package_id
    WHERE ${sql.join([...conditions, sql<SqlBool>`${deviceWithinScope(scope)}`], sql` AND `)}
    ORDER BY ${order}`.execute(database.db)
  return rows.map(({ id }) => id)
}

const shared = ({ states, partType, code }: Pick<TargetFilter, 'states' | 'partType' | 'code'>) => [
  ...(states?.length ? [sql<SqlBool>`t.state = ANY(${states}::text[])`] : []),
  ...(partType === undefined ? [] : [sql<SqlBool>`t.part_type = ${partType}`]),
  ...(code?.length ? [sql<SqlBool>`d.code = ANY(${code}::text[])`] : []),
]

test('targets of a task equal the plain query, page and total, with any filter and scope', async () => {
  const { db } = database
  for (let n = 0; n < times(60, 150); n += 1) {
    const scope = pick(scopes)
    const filter: TargetFilter = {
      taskId: pick(taskIds),
      states: perhaps(someStates),
      stage: perhaps(() => pick([0, 1, 2, 3])),
      reason: Math.random() < 0.2 ? pick(['原因1', '原因2', '没有']) : undefined,
      partType: Math.random() < 0.2 ? pick(partTypes) : undefined,
      code: Math.random() < 0.1 ? codes : undefined,
    }
    const { taskId, stage, reason } = filter
    const ids = await plainIds(
      scope,
      [
        sql<SqlBool>`t.task_id = ${taskId}`,
        ...shared(filter),
        ...(stage === undefined ? [] : [sql<SqlBool>`t.stage = ${stage}`]),
        ...(reason === undefined ? [] : [sql<SqlBool>`t.reason = ${reason}`]),
      ],
      sql`t.id`,
    )
    const { limit, offset } = page()
    const told = JSON.stringify({ filter, scope, limit, offset })
    const rows = await listTargets(db, scope, filter, { limit, offset })
    expect(
      rows.map(({ id }) => id),
      told,
    ).toEqual(ids.slice(offset, offset + limit))
    expect(await countTargets(db, scope, filter), told).toBe(ids.length)
  }
})

test('the upgrade log equals the plain query, page and total, with any filter and scope', async () => {
  const { db } = database
  for (let n = 0; n < times(60, 150); n += 1) {
    const scope = pick(scopes)
    const filter: LogFilter = {
      from: perhaps(() => startedAt(pick(taskIds))) ?? null,
      to: perhaps(() => startedAt(pick(taskIds))) ?? null,
      equipTypeId: Math.random() < 0.2 ? pick(equipTypeIds) : undefined,
      type: Math.random() < 0.2 ? pick(['SCHEDULE', 'AUTO'] as const) : undefined,
      states: perhaps(someStates),
      version: Math.random() < 0.2 ? pick(['1.4', '1.5', '9.9']) : undefined,
      partType: Math.random() < 0.2 ? pick(partTypes) : undefined,
      code: Math.random() < 0.1 ? codes : undefined,
    }
    const { from, to, equipTypeId, type, version } = filter
    const ids = await plainIds(
      scope,
      [
        sql<SqlBool>`true`,
        ...shared(filter),
        ...(from ? [sql<SqlBool>`t.created_at >= ${from}`] : []),
        ...(to ? [sql<SqlBool>`t.created_at < ${to}`] : []),
        ...(equipTypeId === undefined ? [] : [sql<SqlBool>`a.equip_type_id = ${equipTypeId}`]),
        ...(type ? [sql<SqlBool>`a.type = ${type}`] : []),
        ...(version === undefined ? [] : [sql<SqlBool>`k.major || '.' || k.minor = ${version}`]),
      ],
      sql`t.id DESC`,
    )
    const { limit, offset } = page()
    const told = JSON.stringify({ filter, scope, limit, offset })
    const rows = await listLog(db, scope, filter, { limit, offset })
    expect(
      rows.map(({ id }) => id),
      told,
    ).toEqual(ids.slice(offset, offset + limit))
    expect(await countLog(db, scope, filter), told).toBe(ids.length)
  }
})
