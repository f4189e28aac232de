import { describe, expect, test } from 'vitest'
import { features } from '../src/features.ts'
import { databaseOfTests } from '../test/database.ts'
import { namingsIn } from './table-names.ts'
import { namings, owners, tableDocument } from './tables.ts'

const database = await databaseOfTests()

const owned = [...owners.values()].flat()
const tablesOf = (owner: string) => owners.get(owner) ?? []

test('every table of the migrated database has one owner', async () => {
  const { rows } = await database.pool.query<{ relname: string }>(`
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      AND relname <> 'schema_migrations'`)
  expect(owned.toSorted()).toEqual(rows.map(({ relname }) => relname).sort())
})

describe('the scan for tables', () => {
  const tables = new Set(['device', 'menu', 'role', 'alarm_history'])
  test.each([
    ['sql`SELECT 1 FROM device d WHERE true`', 'device', false],
    ['sql`SELECT 1 FROM role r, menu m`', 'menu', false],
    ['sql`… LEFT JOIN menu ON true`', 'menu', false],
    ['sql`INSERT INTO menu (id) VALUES (1)`', 'menu', true],
    ['sql`UPDATE menu SET id = 1`', 'menu', true],
    ['sql`DELETE FROM menu`', 'menu', true],
    ["pool.query('LOCK TABLE menu')", 'menu', false],
    ["db.selectFrom('menu as m')", 'menu', false],
    ["db.selectFrom(['role', 'menu'])", 'menu', false],
    [".innerJoin('menu', 'menu.id', 'x.id')", 'menu', false],
    ["db.insertInto('menu')", 'menu', true],
    ["db.updateTable('menu')", 'menu', true],
    ["db.deleteFrom('menu')", 'menu', true],
    ["const menus = plainQueries('menu')", 'menu', true],
    ["const table = 'alarm_history'", 'alarm_history', false],
  ])('sees a table in %s', (text, table, isWrite) => {
    expect(namingsIn(text, tables)).toContainEqual({ table, isWrite })
  })

  test('sees none in words', () => {
    expect(
      namingsIn("// read from device, update role\nconst menu = 'menu'\nFOR UPDATE OF d", tables),
    ).toEqual([])
  })

  test('reads the sources', () => {
    const byOwners = namings().filter(({ part, table }) => tablesOf(part).includes(table))
    expect(new Set(byOwners.map(({ table }) => table)).size).toBeGreaterThan(30)
  })
})

test('the platform names no table of the domain or of a feature', () => {
  const foreign = namings().filter(
    ({ part, table }) => part === 'platform' && !tablesOf('platform').includes(table),
  )
  expect(foreign).toEqual([])
})

test('a part of the domain names the tables that it owns or declares as inputs, and declares no more', () => {
  for (const { name, tables, inputs } of features.filter((feature) => feature.inputs.length > 0)) {
    const named = namings().filter(({ part }) => part === name)
    const known = [...tables, ...inputs]
    expect(named.filter(({ table }) => !known.some((one) => one === table))).toEqual([])
    expect(known.filter((table) => !named.some((naming) => naming.table === table))).toEqual([])
  }
})

test('docs/developing.md says who owns each table (npm run docs:tables)', () => {
  const { present, wanted } = tableDocument()
  expect(present).toBe(wanted)
})
