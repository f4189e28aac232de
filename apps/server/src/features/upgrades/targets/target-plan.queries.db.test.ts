import { type SqlBool, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { insertDevice, insertModel, type TestDevice } from '../../../../test/factories.ts'
import { equipTypeOf, insertBoard, insertPackage } from '../../../../test/packages.ts'
import { everything } from '../../../domain/access/data-scope.ts'
import { planStages } from '../stages/stage-sizes.ts'
import { readCounts, refreshTally, sumOf } from './tally.queries.ts'
import {
  type ChoicePlan,
  countPlanned,
  insertTally,
  insertTargets,
  type Plan,
  readPreview,
  resolvePlan,
} from './target-plan.queries.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ isSeeded: true })
})
afterAll(() => database.close())

const master = 'PART_TYPE_EC_MASTER'
const bin = 'PART_TYPE_EC_BIN'
let modelId: number
let equipTypeId: number
let place: { operatorId: number; regionId: number }

beforeEach(async () => {
  modelId = await insertModel(database.db)
  equipTypeId = await equipTypeOf(database.db, modelId)
  const { id } = await insertDevice(database.db, { modelId })
  const { operator_id: operatorId, region_id: regionId } = await database.db
    .selectFrom('device')
    .select(['operator_id', 'region_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  place = { operatorId, regionId }
  await sql`DELETE FROM device WHERE id = ${id}`.execute(database.db)
})

interface Part {
  partType?: string
  addrId?: string
  version?: string
  hwVersion?: string | null
  pcbCode?: string | null
}

async function device(parts: readonly Part[], model = modelId): Promise<TestDevice> {
  const made = await insertDevice(database.db, { ...place, modelId: model })
  for (const { partType = master, addrId = '0', version = '1.3', hwVersion = null, pcbCode = null } of parts)
    await sql`
      INSERT INTO device_version (device_id, part_type, addr_id, version, hw_version, pcb_code, reported_at)
      VALUES (${made.id}, ${partType}, ${addrId}, ${version}, ${hwVersion}, ${pcbCode}, now())`.execute(
      database.db,
    )
  return made
}

const planOf = (...packageIds: number[]): ChoicePlan => ({
  packageIds,
  equipTypeId,
  chosen: sql`true`,
  isAll: true,
})

let taskCount = 0
/** Plans a task; returns the result for each device and part. */
async function plan(of: Plan, firsts: readonly number[] = [0]) {
  taskCount += 1
  const taskId = taskCount
  const { db } = database
  await db.transaction().execute(async (trx) => {
    await resolvePlan(trx, taskId, of)
    await insertTargets(trx, { taskId, firsts, pacePerMinute: 60 })
  })
  const { rows } = await sql<{
    code: string
    part: string
    state: string
    reason: string | null
    from: object
  }>`
    SELECT d.code, t.part_type AS part, t.state, t.reason, t.from_versions AS "from"
    FROM upgrade_target t JOIN device d ON d.id = t.device_id WHERE t.task_id = ${taskId} ORDER BY t.id`.execute(
    db,
  )
  return { rows, taskId }
}

const reasonOf = async (of: Plan, { code }: TestDevice) =>
  (await plan(of)).rows.find((row) => row.code === code)?.reason

describe('a device', () => {
  test('is planned with the parts that match the package, all numbers of a part type together', async () => {
    const { id } = await insertPackage(database.db, {
      board: await insertBoard(database.db, { equipTypeId, partType: bin }),
    })
    const { code } = await device([
      { partType: bin, addrId: '1' },
      { partType: bin, addrId: '2', version: '1.4' },
      { partType: master },
    ])
    expect((await plan(planOf(id))).rows).toEqual([
      { code, part: bin, state: 'waiting', reason: null, from: { 1: '1.3', 2: '1.4' } },
    ])
  })

  test('is skipped with the reason', async () => {
    const board = await insertBoard(database.db, { equipTypeId, modelIds: [modelId] })
    const { id } = await insertPackage(database.db, { board, hwVersion: '2' })
    const other = await insertModel(database.db, { equipTypeId })
    const good = { hwVersion: '2', pcbCode: board.code }
    const cases: [string | null, TestDevice][] = [
      [null, await device([good])],
      ['已是目标版本', await device([{ ...good, version: '1.4' }])],
      ['设备没有上报此部件', await device([{ ...good, partType: bin }])],
      ['设备型号不适用', await device([good], other)],
      ['硬件版本不符', await device([{ ...good, hwVersion: '3' }])],
      // Who does not say it is never taken for one that has it.
      ['硬件版本不符', await device([{ ...good, hwVersion: null }])],
      ['板卡不符', await device([{ ...good, pcbCode: 'OTHER' }])],
    ]
    const { rows } = await plan(planOf(id))
    expect(rows.map(({ code, reason }) => [code, reason]).toSorted()).toEqual(
      cases.map(([reason, { code }]) => [code, reason]).toSorted(),
    )
  })

  test('counts devices of another type that were chosen, and those whose version has no package to return to', async () => {
    const board = await insertBoard(database.db, { equipTypeId })
    const image = await insertPackage(database.db, { board, version: '1.4' })
    await insertPackage(database.db, { board, version: '1.2' })
    const here = [
      await device([{ version: '1.2', pcbCode: board.code }]),
      await device([{ version: '1.3', pcbCode: board.code }]),
    ]
    const other = await insertDevice(database.db)
    const ids = [...here, other].map(({ id }) => id)
    const of = { ...planOf(image.id), chosen: sql<SqlBool>`d.id = ANY(${ids}::int[])` }
    expect(await readPreview(database.db, { ...of, isAll: false })).toMatchObject({
      chosen: 2,
      devices: 2,
      otherType: 1,
      oneWay: 1,
    })
    expect(await readPreview(database.db, of)).toMatchObject({ otherType: 0 })
  })

  test('gets the first matching package of several for one part', async () => {
    const boards = [
      await insertBoard(database.db, { equipTypeId }),
      await insertBoard(database.db, { equipTypeId }),
    ]
    const [one, two] = [
      await insertPackage(database.db, { board: boards[0] ?? null }),
      await insertPackage(database.db, { board: boards[1] ?? null }),
    ]
    await device([{ pcbCode: boards[1]?.code ?? null }])
    await device([{ pcbCode: boards[0]?.code ?? null }])
    const { parts } = await readPreview(database.db, planOf(one.id, two.id))
    expect(parts.map(({ packageId, devices, skip }) => [packageId, devices, skip]).toSorted()).toEqual(
      [
        [one.id, 1, null],
        [two.id, 1, null],
      ].toSorted(),
    )
  })

  test('is upgraded by one task at a time, also if two are planned at the same time', async () => {
    const { id } = await insertPackage(database.db, {
      board: await insertBoard(database.db, { equipTypeId }),
    })
    for (let n = 0; n < 20; n += 1) await device([{}])
    const plans = await Promise.all([plan(planOf(id)), plan(planOf(id))])
    const waiting = plans.flatMap(({ rows }) => rows.filter(({ state }) => state === 'waiting'))
    expect(waiting).toHaveLength(20)
    expect(new Set(waiting.map(({ code }) => code)).size).toBe(20)
    // Both tasks have all devices: those that one of them got are busy for the other.
    const { rows } = await sql<{ taskId: number; n: number }>`
      SELECT task_id AS "taskId", count(*)::int AS n FROM upgrade_target
      WHERE task_id = ANY(${plans.map((one) => one.taskId)}::int[]) GROUP BY 1`.execute(database.db)
    expect(rows.map(({ n }) => n)).toEqual([20, 20])
    expect(await reasonOf(planOf(id), { code: waiting[0]?.code ?? '' } as TestDevice)).toBe(
      '正在其他任务中升级',
    )
  })
})

describe('a device with several parts', () => {
  test('begins with the first part that is not skipped', async () => {
    const of = planOf(
      (await insertPackage(database.db, { board: await insertBoard(database.db, { equipTypeId }) })).id,
      (
        await insertPackage(database.db, {
          board: await insertBoard(database.db, { equipTypeId, partType: bin }),
        })
      ).id,
    )
    const both = await device([{}, { partType: bin }])
    const second = await device([{ version: '1.4' }, { partType: bin }])
    const { taskId } = await plan(of)
    const { rows } = await sql<{ code: string; part: string; stage: number; isDue: boolean }>`
      SELECT d.code, t.part_type AS part, t.stage, t.next_at IS NOT NULL AS "isDue"
      FROM upgrade_target t JOIN device d ON d.id = t.device_id WHERE t.task_id = ${taskId}`.execute(
      database.db,
    )
    const targetOf = (code: string, part: string) =>
      rows.find((row) => row.code === code && row.part === part)
    expect(targetOf(both.code, master)).toMatchObject({ stage: 1, isDue: true })
    expect(targetOf(both.code, bin)).toMatchObject({ stage: 1, isDue: false })
    expect(targetOf(second.code, master)).toMatchObject({ stage: 0, isDue: false })
    expect(targetOf(second.code, bin)).toMatchObject({ stage: 1, isDue: true })
  })
})

describe('a plan for many', () => {
  test('puts each device into one stage at random, and counts them', async () => {
    const { db } = database
    const { id } = await insertPackage(db, { board: await insertBoard(db, { equipTypeId }) })
    await sql`
      WITH made AS (
        INSERT INTO device (code, operator_id, model_id, region_id, business_status, secret_hash)
        SELECT 'MANY' || ${modelId}::int || 'X' || n, ${place.operatorId}, ${modelId}, ${place.regionId}, 1, '\\x00'
        FROM generate_series(1, 5000) n RETURNING id
      )
      INSERT INTO device_version (device_id, part_type, addr_id, version, reported_at)
      SELECT id, ${master}, '0', '1.3', now() FROM made`.execute(db)
    const of = planOf(id)
    const { devices, chosen } = await countPlanned(db, of)
    expect({ devices, chosen }).toEqual({ devices: 5000, chosen: 5000 })
    const stages = planStages(devices)
    taskCount += 1
    const own = taskCount
    const firsts = [0, 250, 1500]
    await sql`
      INSERT INTO upgrade_task (id, type, state, upgrade_at, rule, devices, equip_type_id, created_by, created_by_name,
        organization_id)
      VALUES (${own}, 'SCHEDULE', 'running', now(), '{}', '{}', ${equipTypeId}, 1, 'admin', 1)`.execute(db)
    await db.transaction().execute(async (trx) => {
      expect(await resolvePlan(trx, own, of)).toBe(5000)
      await insertTargets(trx, { taskId: own, firsts, pacePerMinute: 60 })
      await insertTally(trx, own, firsts)
    })
    const { rows } = await sql<{ stage: number; n: number; low: number; high: number; ids: number }>`
      SELECT stage, count(*)::int AS n, min(rank) AS low, max(rank) AS high, (avg(device_id) - min(min(device_id)) OVER ())::int AS ids
      FROM upgrade_target WHERE task_id = ${own} GROUP BY stage ORDER BY stage`.execute(db)
    expect(rows.map(({ stage, n }) => [stage, n])).toEqual(
      stages.map(({ number, devices: n }) => [number, n]),
    )
    expect(rows.map(({ low, high }) => [low, high])).toEqual([
      [1, 250],
      [251, 1500],
      [1501, 5000],
    ])
    // A stage is not a sequence of devices registered together: its mean id is near the mean of all.
    for (const { ids } of rows) expect(Math.abs(ids - 2500)).toBeLessThan(600)

    // The first stage becomes due at its pace, in the order of the ranks; the other stages wait.
    const due = await sql<{ first: number; last: number; others: number }>`
      SELECT extract(epoch FROM max(next_at) FILTER (WHERE rank = 250) - min(next_at))::int AS last,
        count(next_at) FILTER (WHERE stage = 1)::int AS first, count(next_at) FILTER (WHERE stage <> 1)::int AS others
      FROM upgrade_target WHERE task_id = ${own}`.execute(db)
    expect(due.rows[0]).toEqual({ first: 250, last: 249, others: 0 })

    const tally = () => db.transaction().execute((trx) => refreshTally(trx, own))
    // A recount gives the same tally as the plan.
    expect(await tally()).toBe(false)
    await sql`UPDATE upgrade_target SET state = 'succeeded' WHERE task_id = ${own} AND stage = 1`.execute(db)
    expect(await tally()).toBe(true)
    const counts = (await readCounts(db, everything, [own])).get(own)
    expect(counts?.get(1)).toMatchObject({ total: 250, succeeded: 250, waiting: 0 })
    expect(sumOf(counts)).toMatchObject({ total: 5000, succeeded: 250, waiting: 4750 })
    const none = { ...everything, operatorIds: [] }
    expect(sumOf((await readCounts(db, none, [own])).get(own))).toMatchObject({ total: 0 })
  })
})
