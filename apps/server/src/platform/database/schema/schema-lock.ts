import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

/** The advisory lock of whoever changes the schema: any number that no other program on the same database uses. */
const schemaLockKey = 7_286_110_451n
const pauseMs = 100

/**
 * One process at a time changes the schema. Who waits asks again and again, as a statement that waits for the lock has a
 * snapshot, for whose end an index that is made beside the writes would wait in turn. Where `work` fails, the lock stays
 * with the connection, which its user closes.
 */
export async function withSchemaLock<Result>(
  client: pg.PoolClient,
  work: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const { rows } = await client.query<{ isMine: boolean }>('SELECT pg_try_advisory_lock($1) AS "isMine"', [
      schemaLockKey,
    ])
    if (rows[0]?.isMine) break
    await delay(pauseMs)
  }
  const result = await work()
  await client.query('SELECT pg_advisory_unlock($1)', [schemaLockKey])
  return result
}
