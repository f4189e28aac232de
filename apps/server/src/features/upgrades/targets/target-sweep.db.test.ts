import { sql } from 'kysely'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { bin, insertFleet, insertPackageFor, master } from '../../../../test/upgrades.ts'
import { portion } from '../../../domain/device-work/device-work.ts'
import { createCommands } from '../../../platform/devices/commands/commands.ts'
import { createLog } from '../../../platform/process/log.ts'
import { endOpen } from './target-sweep.ts'

const deviceCount = portion - 500
const commands = createCommands({ log: createLog({ level: 'silent' }), metrics: new Registry() })

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ isSeeded: true, poolSize: 2 })
})
afterAll(() => database.close())

/** A task whose devices each have a part that is at work and one that waits behind it, with the higher id. */
async function taskOfTwoParts(): Promise<number> {
  const { db } = database
  const fleet = await insertFleet(db, 1)
  const { operatorId, modelId, regionId, equipTypeId } = fleet
  const { id: packageId } = await insertPackageFor(db, fleet)
  const { rows } = await sql<{ id: number }>`
    WITH task AS (
      INSERT INTO upgrade_task (type, state, upgrade_at, rule, devices, equip_type_id, created_by, created_by_name,
        organization_id, stage, next_at)
      VALUES ('SCHEDULE', 'finished', now(), '{}', '{"filters": {}}', ${equipTypeId}, 1, 'admin', 1, 1, now())
      RETURNING id
    ),
    made AS (
      INSERT INTO device (code, operator_id, model_id, region_id, business_status, secret_hash)
      SELECT 'END' || n, ${operatorId}, ${modelId}, ${regionId}, 1, '\\x00'
      FROM generate_series(1, ${deviceCount}::int) n RETURNING id
    ),
    target AS (
      INSERT INTO upgrade_target (task_id, device_id, part_type, package_id, position, stage, rank, state, from_versions)
      SELECT task.id, made.id, p.type, ${packageId}, p.position, 1, made.id, p.state, '{}'
      FROM task CROSS JOIN made
      CROSS JOIN (VALUES (${master}, 1, 'downloading'), (${bin}, 2, 'waiting')) p (type, position, state)
      ORDER BY p.position, made.id
    )
    SELECT id FROM task`.execute(db)
  return rows[0]?.id as number
}

test('a task that is over ends its targets in portions, and skips none because the part before it has timed out', async () => {
  const id = await taskOfTwoParts()
  const ended: number[] = []
  for (;;) {
    const { rows, hasMore } = await database.db
      .transaction()
      .execute((trx) => endOpen(trx, id, 'ended', commands))
    ended.push(rows.length)
    if (!hasMore) break
  }
  expect(ended).toEqual([portion, 2 * deviceCount - portion])
  const { rows } = await sql`
    SELECT t.state, t.reason, count(*)::int AS count, count(r.id)::int AS recorded
    FROM upgrade_target t
    LEFT JOIN upgrade_transition r ON r.target_id = t.id AND r.to_state = t.state AND r.cause = '任务已到结束时间'
    WHERE t.task_id = ${id} GROUP BY 1, 2`.execute(database.db)
  const count = 2 * deviceCount
  expect(rows).toEqual([{ state: 'timedOut', reason: '任务已到结束时间', count, recorded: count }])
})
