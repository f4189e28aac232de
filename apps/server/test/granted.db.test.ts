import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readHoldings } from '../src/domain/access/holdings.ts'
import { listMenusOf } from '../src/features/menus/menus.queries.ts'
import { readGrants } from '../src/features/roles/grants.queries.ts'
import { findSession } from '../src/features/sessions/sessions.queries.ts'
import { databaseOfTests } from './database.ts'
import { insertUser } from './factories.ts'

const database = await databaseOfTests()
await database.db.insertInto('organization').values({ id: 1, name: '总部', code: 'HQ' }).execute()
const userId = (await insertUser(database.db)).id
/** A user with menus and a role that must not appear in the first user's grants. */
const otherId = (await insertUser(database.db)).id
const tokenHash = createHash('sha256').update('token').digest()
await database.db
  .insertInto('user_session')
  .values({ token_hash: tokenHash, user_id: userId, expires_at: '2099-01-01', address: '127.0.0.1' })
  .execute()

/** Each menu is below an earlier menu or at the top; roles have menus, and the user has roles. */
const grants = fc.record({
  menus: fc.array(
    fc.record({
      under: fc.option(fc.nat({ max: 9 })),
      type: fc.constantFrom('M', 'C', 'F'),
      code: fc.nat(4),
    }),
    { maxLength: 10 },
  ),
  roles: fc.array(
    fc.record({ menus: fc.uniqueArray(fc.nat({ max: 9 }), { maxLength: 4 }), isOurs: fc.boolean() }),
    { maxLength: 4 },
  ),
  isSystem: fc.oneof(
    { weight: 4, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
})

test('sign-in, granting, managing and the menu tree agree on what random roles grant', async () => {
  const { db } = database
  let seenSystem = 0
  await fc.assert(
    fc.asyncProperty(grants, async ({ menus, roles, isSystem }) => {
      const codeOf = (n: number) => `noun:${n}`
      const parentOf = (n: number) => {
        const under = menus[n]?.under ?? null
        return under !== null && under < n ? under : null
      }
      await sql`TRUNCATE menu, role, user_role, role_menu CASCADE`.execute(db)
      for (const [n, { type, code }] of menus.entries()) {
        const parent = parentOf(n)
        await sql`
          INSERT INTO menu (id, parent_id, name, type, path, remark)
          VALUES (${n + 1}, ${parent === null ? null : parent + 1}, ${`m${n}`}, ${type}, ${`p${n}`}, ${codeOf(code)})
        `.execute(db)
      }
      await sql`INSERT INTO role (id, name, code) VALUES (1, 'SYSTEM', 'SYSTEM'), (2, 'SYSTEMS', 'SYSTEMS')`.execute(
        db,
      )
      await sql`INSERT INTO user_role (user_id, role_id) VALUES (${otherId}, 1), (${userId}, 2)`.execute(db)
      if (isSystem) await sql`INSERT INTO user_role (user_id, role_id) VALUES (${userId}, 1)`.execute(db)
      for (const [n, role] of roles.entries()) {
        const id = n + 3
        await sql`INSERT INTO role (id, name, code) VALUES (${id}, ${`r${n}`}, ${`r${n}`})`.execute(db)
        await sql`INSERT INTO user_role (user_id, role_id) VALUES (${role.isOurs ? userId : otherId}, ${id})`.execute(
          db,
        )
        for (const menu of role.menus.filter((one) => one < menus.length)) {
          await sql`INSERT INTO role_menu (role_id, menu_id) VALUES (${id}, ${menu + 1})`.execute(db)
        }
      }

      const given = menus.flatMap((_, n) =>
        isSystem || roles.some((role) => role.isOurs && role.menus.includes(n)) ? [n] : [],
      )
      const codes = [
        ...new Set(given.filter((n) => menus[n]?.type === 'F').map((n) => codeOf(menus[n]?.code ?? 0))),
      ].sort()
      const visible = new Set<number>()
      for (const n of given) {
        for (let at: number | null = n; at !== null; at = parentOf(at)) visible.add(at + 1)
      }
      const menuIds = [...visible].sort((a, b) => a - b)

      const session = await findSession(db, tokenHash)
      expect([session?.isSystem, session?.functionCodes.sort()]).toEqual([isSystem, codes])
      const granted = await readGrants(db, userId)
      expect([granted.isSystem, granted.functionCodes.sort()]).toEqual([isSystem, codes])
      expect(granted.menuIds.sort((a, b) => a - b)).toEqual(menuIds)
      const held = (await readHoldings(db, [userId, otherId])).get(userId)
      expect([held?.isSystem, [...(held?.functionCodes ?? [])].sort()]).toEqual([isSystem, codes])
      const listed = await listMenusOf(db, userId)
      expect(listed.map(({ id }) => id).sort((a, b) => a - b)).toEqual(menuIds)
      if (isSystem) seenSystem += 1
    }),
    { numRuns: 150, seed: 20_262 },
  )
  expect(seenSystem).toBeGreaterThan(10)
})
