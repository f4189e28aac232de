import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { insertDevice, insertModel } from '../../../../test/factories.ts'
import { bytesOfTask, equipTypeOf, insertBoard, insertPackage } from '../../../../test/packages.ts'
import { everything } from '../../../domain/access/data-scope.ts'
import type { Trx } from '../../../platform/database/database.ts'
import { countLog, type LogFilter, listLog } from './target-lists.queries.ts'

// How many rows the upgrade log reads, with forty tasks of which one is for another part and package.

const deviceCount = 1_500
const taskCount = 40
const rare = { partType: 'BMS', version: '7.7', code: ['PLAN1', 'PLAN2'] }

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ isSeeded: true })
  const { db } = database
  const modelId = await insertModel(db)
  const equipTypeId = await equipTypeOf(db, modelId)
  const { id } = await insertDevice(db, { modelId })
  await sql`
    INSERT INTO device (code, operator_id, model_id, region_id, business_status, secret_hash)
    SELECT 'PLAN' || n, operator_id, model_id, region_id, 1, '\\x00'
    FROM device, generate_series(1, ${deviceCount}::int) n WHERE device.id = ${id}`.execute(db)
  const usual = await insertPackage(db, { board: await insertBoard(db, { equipTypeId }), version: '1.4' })
  const other = await insertPackage(db, {
    board: await insertBoard(db, { equipTypeId, partType: rare.partType }),
    version: rare.version,
  })
  for (let task = 1; task <= taskCount; task += 1) {
    const { id: packageId, board } = task === 7 ? other : usual
    await sql`
      WITH made AS (
        INSERT INTO upgrade_task (id, type, state, upgrade_at, started_at, rule, devices, equip_type_id, created_by,
          created_by_name, organization_id)
        VALUES (${task}, 'SCHEDULE', 'finished', now(), now() - ${taskCount - task} * interval '1 hour', '{}',
          '{"filters": {}}', ${equipTypeId}, 1, 'admin', 1)
      ), package AS (
        INSERT INTO upgrade_task_package SELECT ${task}::int, 1, ${bytesOfTask}
        FROM software_package k WHERE k.id = ${packageId}
      )
      INSERT INTO upgrade_target
        (task_id, device_id, part_type, package_id, position, stage, rank, state, from_versions)
      SELECT ${task}, d.id, ${board.partType}, ${packageId}, 1, 1, d.id, 'succeeded', '{}'
      FROM device d WHERE d.code LIKE 'PLAN%'`.execute(db)
  }
  await database.owner.query('ANALYZE upgrade_target, upgrade_task')
})
afterAll(() => database.close())

/** Target rows fetched for reading a page and counting, from indexes and from the table. */
async function fetched(filter: Partial<LogFilter>): Promise<{ rows: number; total: number; read: number }> {
  const whole: LogFilter = { from: null, to: null, ...filter }
  return database.db.transaction().execute(async (trx) => {
    const before = await readSoFar(trx)
    const rows = (await listLog(trx, everything, whole, { limit: 20, offset: 0 })).length
    const total = await countLog(trx, everything, whole)
    return { rows, total, read: (await readSoFar(trx)) - before }
  })
}

async function readSoFar(trx: Trx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT pg_stat_get_xact_tuples_returned(c.oid)::int + sum(pg_stat_get_xact_tuples_returned(i.indexrelid))::int AS count
    FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid WHERE c.relname = 'upgrade_target' GROUP BY c.oid`.execute(
    trx,
  )
  return rows[0]?.count ?? 0
}

const all = taskCount * deviceCount

test('by codes, the log reads only the targets of these devices', async () => {
  const { rows, total, read } = await fetched({ code: rare.code })
  expect({ rows, total }).toEqual({ rows: 20, total: 2 * taskCount })
  expect(read).toBeLessThan(1_000)
})

test.each([
  ['a part', { partType: rare.partType }],
  ['a version', { version: rare.version }],
])('by %s of few tasks, the log reads only the targets of these tasks', async (_, filter) => {
  const { rows, total, read } = await fetched(filter)
  expect({ rows, total }).toEqual({ rows: 20, total: deviceCount })
  expect(read).toBeLessThan(all / 10)
})
