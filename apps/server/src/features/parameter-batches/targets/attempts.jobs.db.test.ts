import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../../test/database.ts'
import { insertDevice } from '../../../../test/factories.ts'
import { createAttemptsJob } from './attempts.jobs.ts'

const database = await databaseOfTests({ isSeeded: true })

test('attempts older than the history are deleted, in portions', async () => {
  const { db } = database
  const device = await insertDevice(db)
  const { rows: targets } = await sql<{ id: string }>`
    INSERT INTO parameter_target (batch_id, device_id, state, former) VALUES (1, ${device.id}, 'succeeded', '{}')
    RETURNING id`.execute(db)
  const targetId = targets[0]?.id
  await sql`
    INSERT INTO parameter_attempt (batch_id, target_id, number, command_id, result, created_at, ended_at)
    SELECT 1, ${targetId}::int8, 1, gen_random_uuid(), 'failed', now() - interval '40 days' + n * interval '1 second',
      now()
    FROM generate_series(1, 12000) n`.execute(db)
  await sql`
    INSERT INTO parameter_attempt (batch_id, target_id, number, command_id, result, created_at, ended_at)
    SELECT 1, ${targetId}::int8, n, gen_random_uuid(), 'succeeded', now() - interval '10 days', now()
    FROM generate_series(1, 3) n`.execute(db)
  await createAttemptsJob({ db, keptDays: 31 }).run(new AbortController().signal)
  const { rows } = await sql`SELECT result, count(*)::int AS count FROM parameter_attempt GROUP BY 1`.execute(
    db,
  )
  expect(rows).toEqual([{ result: 'succeeded', count: 3 }])
})
