import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import { noteSetter } from './users.queries.ts'

const { db } = await databaseOfTests()

test('who sets an account does not wait for who deletes what is old', async () => {
  const old = sql`SELECT FROM user_set_by WHERE user_id = 11`
  await sql`
    INSERT INTO user_set_by (user_id, by_user_id, signs_in, at)
    VALUES (11, 12, true, now() - interval '61 days')`.execute(db)
  await db.transaction().execute(async (first) => {
    await sql`${old} FOR UPDATE`.execute(first)
    await db.transaction().execute(async (second) => {
      await sql`SET LOCAL lock_timeout = '1s'`.execute(second)
      await noteSetter(second, 13, 12, 'roles')
    })
  })
  expect((await old.execute(db)).rows).toHaveLength(1)
  await db.transaction().execute((trx) => noteSetter(trx, 13, 12, 'roles'))
  expect((await old.execute(db)).rows).toEqual([])
})
