import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import { insertRegion, insertUser } from '../../../test/factories.ts'
import { migrationsDir } from '../../platform/database/schema/migrate.ts'
import { readReaches } from './holdings.ts'
import { keepNarrowed, readHiddenBefore } from './narrowings.ts'
import { forgetRegionCode } from './reaches.ts'

const database = await databaseOfTests({ isSeeded: true })
const { db } = database
const longAgo = new Date(0)

const userWith = async (...codes: string[]): Promise<number> =>
  (await insertUser(db, { authorities: codes.map((code) => ['R', code] as const) })).id

async function reachOf(userId: number) {
  const reach = (await readReaches(db, [userId])).get(userId)
  if (!reach) throw new Error('no such user')
  return reach
}

/** From the entries of one user to those of another. */
async function narrow(userId: number, to: number): Promise<void> {
  const [before, after] = [await reachOf(userId), await reachOf(to)]
  await db.transaction().execute((trx) => keepNarrowed(trx, userId, { before, after }))
}

const isHidden = async (reader: number, userId: number, since = longAgo) =>
  (await readHiddenBefore(db, await reachOf(reader), [userId], since)).has(userId)

test('only what reached further is kept, and compared with the reader', async () => {
  const province = await insertRegion(db, { code: 'NP' })
  await insertRegion(db, { code: 'NPE', parentId: province })
  await insertRegion(db, { code: 'NX' })
  const [free, wide, narrower, beside] = [
    await userWith(),
    await userWith('NP'),
    await userWith('NPE'),
    await userWith('NX'),
  ]
  await narrow(narrower, wide)
  expect(await isHidden(beside, narrower)).toBe(false)
  await narrow(wide, narrower)
  expect(await Promise.all([free, wide, narrower, beside].map((reader) => isHidden(reader, wide)))).toEqual([
    false,
    false,
    true,
    true,
  ])
  expect(await isHidden(narrower, wide, new Date(Date.now() + 3_600_000))).toBe(false)
})

test('a region that is deleted is nobody’s, also where its code is given to another one', async () => {
  const gone = await insertRegion(db, { code: 'GONE' })
  await insertRegion(db, { code: 'STAYS' })
  const [user, reader, free] = [await userWith('GONE', 'STAYS'), await userWith('STAYS'), await userWith()]
  await narrow(user, reader)
  await db.transaction().execute((trx) => forgetRegionCode(trx, 'GONE'))
  await sql`DELETE FROM user_authority WHERE value = 'GONE'`.execute(db)
  await sql`DELETE FROM region WHERE id = ${gone}`.execute(db)
  await insertRegion(db, { code: 'GONE' })
  const successor = await userWith('STAYS', 'GONE')
  expect(await Promise.all([reader, successor, free].map((one) => isHidden(one, user)))).toEqual([
    true,
    true,
    false,
  ])
})

test('after the migration, earlier changes are known from the entries about them', async () => {
  const { id, loginName } = await insertUser(db)
  const before = { O: ['7'], ET: [], R: [] }
  const log = async (call: string, target: string, code: number, changes: object | null) =>
    sql`
      INSERT INTO operation_log (at, address, request_id, call, summary, target, result_code, changes)
      VALUES (now(), '', '', ${call}, '', ${target}, ${code}, ${changes && JSON.stringify(changes)}::jsonb)`.execute(
      db,
    )
  await log('/permission/update', `用户 ${loginName}`, 200, { before, after: before })
  await log('/permission/update', `用户 ${loginName}`, 403, null)
  await log('/user/insert', `用户 ${loginName}`, 200, { after: before })
  await log('/permission/update', '用户 nobody', 200, { before, after: before })
  await database.owner.query('DROP TABLE narrowed_reach')
  await database.owner.query(readFileSync(join(migrationsDir, '0068_narrowed_reach.sql'), 'utf8'))
  const { rows } = await database.owner.query('SELECT user_id, authorities FROM narrowed_reach')
  expect(rows).toEqual([{ user_id: id, authorities: before }])
})
