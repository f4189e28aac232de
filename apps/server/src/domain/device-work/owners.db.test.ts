import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import { insertModel } from '../../../test/factories.ts'
import { equipTypeOf } from '../../../test/packages.ts'
import { bringForward } from './owners.ts'

const database = await databaseOfTests({ isSeeded: true })

test('a request during a check leads to another check soon, although the running one postpones it', async () => {
  const { db, pool } = database
  const equipTypeId = await equipTypeOf(db, await insertModel(db))
  await sql`
    INSERT INTO upgrade_task (id, type, state, upgrade_at, rule, devices, equip_type_id, created_by, created_by_name,
      organization_id, next_at)
    VALUES (1, 'SCHEDULE', 'running', now(), '{}', '{"filters": {}}', ${equipTypeId}, 1, 'admin', 1, now())`.execute(
    db,
  )
  const look = await pool.connect()
  await look.query("BEGIN; UPDATE upgrade_task SET next_at = now() + interval '1 minute' WHERE id = 1")
  const hastened = bringForward(db, 'upgrade_task', [1], 5)
  const isWaiting = async () =>
    (
      await sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(
        db,
      )
    ).rows.length
  await expect.poll(isWaiting, { timeout: 10_000, interval: 20 }).toBe(1)
  await look.query('COMMIT')
  look.release()
  expect(await hastened).toBeLessThan(1_000)
  const { rows } = await sql<{ isSoon: boolean }>`
    SELECT next_at < now() + interval '5 seconds' AS "isSoon" FROM upgrade_task WHERE id = 1`.execute(db)
  expect(rows).toEqual([{ isSoon: true }])
})
