import { functionCodesOf } from '@voltkeep/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../test/database.ts'
import { endpoints } from '../test/endpoints.ts'
import { longShelving } from './features/alarms/shelves/shelf-decider.ts'
import { seeds } from './features.ts'
import { plantSeeds } from './platform/database/seeds.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.close())

test('the menus have exactly the function codes that the contract uses', async () => {
  await plantSeeds(database.db, seeds)
  const asked = endpoints.flatMap(({ endpoint }) => functionCodesOf(endpoint))
  const rows = await database.db.selectFrom('menu').select('remark').where('type', '=', 'F').execute()
  // Asked for beside the function of its call, by what the call is to do.
  const further = [longShelving]
  expect(rows.map(({ remark }) => remark).sort()).toEqual([...new Set([...asked, ...further])].sort())
})

test('are planted once, and later changes and deletions are kept', async () => {
  expect(await plantSeeds(database.db, seeds)).toEqual(seeds.map(({ name }) => name))
  await database.db.deleteFrom('menu').where('path', '=', '/system').execute()
  await database.db.updateTable('role').set({ name: '值班' }).where('code', '=', 'OPERATOR').execute()
  await database.db.deleteFrom('dictionary_entry').where('type', '=', 'LAMP_CODE').execute()

  expect(await plantSeeds(database.db, seeds)).toEqual([])
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

test('are planted once by two processes that start at the same time', async () => {
  const [first, second] = await Promise.all([plantSeeds(database.db, seeds), plantSeeds(database.db, seeds)])
  expect([...first, ...second]).toEqual(seeds.map(({ name }) => name))
})

test('leave later ids free', async () => {
  await plantSeeds(database.db, seeds)
  const made = await database.db
    .insertInto('role')
    .values({ name: '值班', code: 'WATCH' })
    .returning('id')
    .executeTakeFirstOrThrow()
  expect(made.id).toBe(3)
})

test('allow an operator to watch and recover, but not to register', async () => {
  await plantSeeds(database.db, seeds)
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

/** The seeds of the release before features declared their own pages. */
const former = [
  'organizations',
  'operators',
  'menus',
  'roles',
  'enumerations',
  'regions',
  'equip-types',
  'semaphores',
  'administrationMenus',
  'model-parts',
]
const remember = (names: readonly string[]) =>
  database.db
    .insertInto('planted_seed')
    .values(names.map((name) => ({ name })))
    .execute()

test('do not plant again what an installation of a former release has had', async () => {
  await remember(former)
  await plantSeeds(database.db, seeds)
  const { rows } = await database.pool.query(`
    SELECT remark FROM menu WHERE remark IN ('dashboard', 'exitWarning', 'equipmentList', 'equip:import', 'systemUser',
      'permission:select', 'referenceRegion')
    UNION ALL SELECT code FROM role WHERE code IN ('SYSTEM', 'OPERATOR')
    UNION ALL SELECT code FROM region WHERE code = '86'
    UNION ALL SELECT code FROM dictionary_entry WHERE code IN ('EC', '01110001')`)
  expect(rows).toEqual([])
})

test('add the pages of administration to an installation of the first release, where the functions had no page', async () => {
  await remember(former.filter((name) => name !== 'administrationMenus'))
  const [system] = await database.db
    .insertInto('menu')
    .values({ name: '系统管理', type: 'M', path: '/system', remark: 'system', order_num: 4 })
    .returning('id')
    .execute()
  const [lists] = await database.db
    .insertInto('menu')
    .values({
      parent_id: system?.id,
      name: '查看菜单',
      type: 'F',
      path: 'menu:list',
      remark: 'menu:list',
      order_num: 1,
    })
    .returning('id')
    .execute()
  await plantSeeds(database.db, seeds)
  const { rows } = await database.pool.query(
    `SELECT f.id, f.remark, p.remark AS page, p.parent_id AS directory FROM menu f JOIN menu p ON p.id = f.parent_id
     WHERE p.remark = 'systemMenu' ORDER BY f.order_num`,
  )
  expect(rows.map(({ remark }) => remark)).toEqual(['menu:list', 'menu:insert', 'menu:update', 'menu:delete'])
  expect(rows[0]).toEqual({ id: lists?.id, remark: 'menu:list', page: 'systemMenu', directory: system?.id })
  const tops = await database.db.selectFrom('menu').select('remark').where('parent_id', 'is', null).execute()
  // Pages of later releases are added with their directories.
  expect(tops.map(({ remark }) => remark).sort()).toEqual([
    'equipment',
    'maintenance',
    'reference',
    'system',
    'upgrade',
  ])
})
