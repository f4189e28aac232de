import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createTransitionsJob } from './transitions.jobs.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

test('transitions older than the history are deleted, in portions', async () => {
  const { db } = database
  await sql`
    INSERT INTO upgrade_transition (task_id, target_id, to_state, cause, at)
    SELECT 1, n, 'sent', '下发升级命令', now() - interval '40 days' + n * interval '1 second'
    FROM generate_series(1, 12000) n`.execute(db)
  await sql`
    INSERT INTO upgrade_transition (task_id, target_id, to_state, cause, at)
    SELECT 1, n, 'succeeded', '设备已报告新版本', now() - interval '10 days' FROM generate_series(1, 3) n`.execute(
    db,
  )
  await createTransitionsJob({ db, keptDays: 31 }).run(new AbortController().signal)
  const { rows } =
    await sql`SELECT to_state, count(*)::int AS count FROM upgrade_transition GROUP BY 1`.execute(db)
  expect(rows).toEqual([{ to_state: 'succeeded', count: 3 }])
})
