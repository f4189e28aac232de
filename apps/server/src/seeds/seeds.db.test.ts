import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { endpoints } from '../../test/endpoints.ts'
import { plantSeeds, seeds } from './index.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.close())

test('every function code that the contract asks for has its menu, and no other has', async () => {
  await plantSeeds(database.db)
  const asked = endpoints.map(({ endpoint }) => endpoint.access).filter((access) => access.includes(':'))
  const rows = await database.db.selectFrom('menu').select('remark').where('type', '=', 'F').execute()
  expect(rows.map(({ remark }) => remark).sort()).toEqual([...new Set(asked)].sort())
})

test('are planted once, and what was changed or deleted since stays so', async () => {
  expect(await plantSeeds(database.db)).toEqual(seeds.map(({ name }) => name))
  await database.db.deleteFrom('menu').where('path', '=', '/system').execute()
  await database.db.updateTable('role').set({ name: '值班' }).where('code', '=', 'OPERATOR').execute()
  await database.db.deleteFrom('dictionary_entry').where('type', '=', 'LAMP_CODE').execute()

  expect(await plantSeeds(database.db)).toEqual([])
  const menu = await database.db.selectFrom('menu').select('id').where('path', '=', '/system').execute()
  const lamps = await database.db
    .selectFrom('dictionary_entry')
    .select('id')
    .where('type', '=', 'LAMP_CODE')
    .execute()
  expect([...menu, ...lamps]).toEqual([])
  const role = await database.db
    .selectFrom('role')
    .select('name')
    .where('code', '=', 'OPERATOR')
    .executeTakeFirst()
  expect(role?.name).toBe('值班')
})

test('are planted once by two processes that start at once', async () => {
  const [first, second] = await Promise.all([plantSeeds(database.db), plantSeeds(database.db)])
  expect([...first, ...second]).toEqual(seeds.map(({ name }) => name))
})

test('leave the ids that follow free', async () => {
  await plantSeeds(database.db)
  const made = await database.db
    .insertInto('role')
    .values({ name: '值班', code: 'WATCH' })
    .returning('id')
    .executeTakeFirstOrThrow()
  expect(made.id).toBe(3)
})

test('let an operator watch and recover, and not register', async () => {
  await plantSeeds(database.db)
  const rows = await database.db
    .selectFrom('role_menu')
    .innerJoin('role', 'role.id', 'role_menu.role_id')
    .innerJoin('menu', 'menu.id', 'role_menu.menu_id')
    .select('menu.remark')
    .where('role.code', '=', 'OPERATOR')
    .execute()
  const remarks = rows.map(({ remark }) => remark)
  expect(remarks).toEqual(expect.arrayContaining(['dashboard', 'exitWarning', 'alarm:recover', 'equip:list']))
  expect(remarks).not.toContain('equip:insert')
})
