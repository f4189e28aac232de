import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { insertFleet, insertPackageFor, master } from '../../../../test/upgrades.ts'
import { portion } from '../../../domain/device-work/device-work.ts'
import { lockForWork } from '../tasks/tasks.queries.ts'
import { releasePortion } from './stage-moves.ts'

const deviceCount = portion + 500

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ isSeeded: true, poolSize: 6 })
})
afterAll(() => database.close())

/** A task without released targets, whose ids and ranks are in opposite orders. */
async function unreleasedTask(): Promise<number> {
  const { db } = database
  const fleet = await insertFleet(db, 1)
  const { operatorId, modelId, regionId, equipTypeId } = fleet
  const { id: packageId } = await insertPackageFor(db, fleet)
  const { rows } = await sql<{ id: number }>`
    WITH task AS (
      INSERT INTO upgrade_task (type, state, upgrade_at, rule, devices, equip_type_id, created_by, created_by_name,
        organization_id, stage, next_at)
      VALUES ('SCHEDULE', 'running', now(), '{"pacePerMinute": 600}', '{"filters": {}}', ${equipTypeId}, 1, 'admin', 1,
        1, now())
      RETURNING id
    ),
    made AS (
      INSERT INTO device (code, operator_id, model_id, region_id, business_status, secret_hash)
      SELECT 'STAGE' || n, ${operatorId}, ${modelId}, ${regionId}, 1, '\\x00'
      FROM generate_series(1, ${deviceCount}::int) n RETURNING id
    ),
    target AS (
      INSERT INTO upgrade_target (task_id, device_id, part_type, package_id, position, stage, rank, state, from_versions)
      SELECT task.id, made.id, ${master}, ${packageId}, 1, 1, row_number() OVER (ORDER BY made.id DESC), 'waiting', '{}'
      FROM task CROSS JOIN made ORDER BY made.id
    )
    SELECT id FROM task`.execute(db)
  return rows[0]?.id as number
}

/** Locks a target by its rank, as another writer would, and releases it. */
const lockOther = (taskId: number, rank: number) =>
  database.pool.query('SELECT id FROM upgrade_target WHERE task_id = $1 AND rank = $2 FOR UPDATE NOWAIT', [
    taskId,
    rank,
  ])

const release = (taskId: number, meanwhile = async () => {}) =>
  database.db.transaction().execute(async (trx) => {
    const task = await lockForWork(trx, taskId)
    if (!task) throw new Error('no such task')
    const releaseAt = await releasePortion(trx, task, 1)
    await meanwhile()
    return releaseAt
  })

test('targets are released in portions, in order and at their pace; other writers are not blocked', async () => {
  const id = await unreleasedTask()
  const releaseAt = await release(id, async () => {
    await expect(lockOther(id, portion)).rejects.toMatchObject({ code: '55P03' })
    expect((await lockOther(id, portion + 1)).rowCount).toBe(1)
  })
  expect(releaseAt).not.toBeNull()
  expect(await release(id)).toBeNull()
  const { rows } = await sql<{ late: number; first: Date; last: Date }>`
    SELECT min(next_at) AS first, max(next_at) AS last, count(*) FILTER (WHERE step <> interval '0.1 s')::int AS late
    FROM (SELECT next_at, next_at - lag(next_at) OVER (ORDER BY rank) AS step
      FROM upgrade_target WHERE task_id = ${id}) t`.execute(database.db)
  const [told] = rows
  expect(told?.late).toBe(0)
  expect((told?.last.getTime() ?? 0) - (told?.first.getTime() ?? 0)).toBe((deviceCount - 1) * 100)
})
