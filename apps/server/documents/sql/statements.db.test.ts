import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { checkStatements, type Exceptions } from './check.ts'
import { rawStatements } from './raw-statements.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

/** Checks statements as a source file of a project of its own has them. */
async function checked(source: string, exceptions: Partial<Exceptions> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'voltkeep-statements-'))
  const folder = join(root, 'src')
  mkdirSync(join(folder, 'features/vendors'), { recursive: true })
  symlinkSync(join(import.meta.dirname, '../../../../node_modules'), join(root, 'node_modules'))
  const options = { strict: true, module: 'nodenext', target: 'esnext', types: ['node'], noEmit: true }
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['src'] }))
  writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(
    join(folder, 'features/vendors/vendors.queries.ts'),
    `import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'\ntype Db = Kysely<unknown>\n${source}`,
  )
  const client = await database.pool.connect()
  try {
    const statements = rawStatements({ configFile: join(root, 'tsconfig.json'), folder })
    const result = await checkStatements(client, statements, {
      unread: {},
      misread: {},
      neverNull: {},
      ...exceptions,
    })
    return { ...result, texts: statements.map(({ text }) => text?.replaceAll(/\s+/g, ' ')) }
  } finally {
    client.release()
    rmSync(root, { recursive: true })
  }
}

const statement = (name: string, row: string, text: string) =>
  `export const ${name} = (db: Db, id: number) => sql<${row}>\`${text}\`.execute(db)`

test('a statement whose columns are those of its row type has no fault', async () => {
  const row =
    '{ id: number; code: string; name: string | null; isOn: boolean; time: Date; n: string; ids: number[] }'
  const text = `SELECT id, code, name, business_status = 1 AS "isOn", created_at AS time, count(*) OVER () AS n,
    ARRAY[id] AS ids FROM device WHERE id = \${id}`
  const { faults, texts } = await checked(statement('read', row, text))
  expect(faults).toEqual([])
  expect(texts).toEqual([expect.stringContaining('FROM device WHERE id = $1')])
})

/** Name, row type, statement, fault. */
const wrong: [string, string, string, string][] = [
  [
    'unknownColumn',
    '{ code: string }',
    'SELECT kode AS code FROM device',
    'PostgreSQL refuses it: column "kode" does not exist',
  ],
  [
    'otherName',
    '{ codes: string }',
    'SELECT code FROM device',
    'asserts `codes: string`, and the result has code',
  ],
  ['text', '{ code: number }', 'SELECT code FROM device', 'asserts `code: number`, and the result has text'],
  [
    'count',
    '{ n: number }',
    'SELECT count(*) AS n FROM device',
    'asserts `n: number`, and the result has int8',
  ],
  [
    'moment',
    '{ at: string }',
    'SELECT created_at AS at FROM device',
    'asserts `at: string`, and the result has timestamptz',
  ],
  [
    'literal',
    "{ state: 'on' }",
    'SELECT id AS state FROM device',
    'asserts `state: "on"`, and the result has int4',
  ],
  [
    'list',
    '{ ids: number[] }',
    'SELECT id AS ids FROM device',
    'asserts `ids: number[]`, and the result has int4',
  ],
  [
    'empty',
    '{ name: string }',
    'SELECT name FROM device',
    'asserts `name: string`, and the column may be null',
  ],
  [
    'outerJoin',
    '{ label: string }',
    'SELECT p.name AS label FROM device d LEFT JOIN operator p ON p.id = d.operator_id',
    'asserts `label: string`, and the column may be null',
  ],
  [
    'neverEmpty',
    '{ code: string | null }',
    'SELECT code FROM device',
    'asserts `code: string | null`, and the column is never null',
  ],
]

test('a column that is not there, one of another type and one that may be null are each refused, with the line', async () => {
  const { faults } = await checked(wrong.map(([name, row, text]) => statement(name, row, text)).join('\n'))
  expect(faults.map((fault) => fault.split('\n')[0])).toEqual(
    wrong.map(
      ([name, , , fault], index) => `features/vendors/vendors.queries.ts:${index + 3} ${name}: ${fault}`,
    ),
  )
})

test('what a pool of pg is asked with is read as well', async () => {
  const { faults, texts } = await checked(`
    import type pg from 'pg'
    const text = (table: string) => \`SELECT code FROM \${table} WHERE id = $1\`
    export const read = (pool: pg.Pool) => pool.query<{ code: number }>({ text: text('device'), values: [1] })
    export const write = (pool: pg.Pool) => pool.query('UPDATE device SET kode = 1')`)
  expect(texts).toEqual(['SELECT code FROM device WHERE id = $1', 'UPDATE device SET kode = 1'])
  expect(faults.map((fault) => fault.split('\n')[0])).toEqual([
    'features/vendors/vendors.queries.ts:6 read: asserts `code: number`, and the result has text',
    expect.stringContaining('PostgreSQL refuses it: column "kode" of relation "device" does not exist'),
  ])
})

test('fragments are followed through functions, lists and calls', async () => {
  const { faults, texts } = await checked(`
    interface Filter { code?: string; ids?: number[] }
    const matching = ({ code, ids }: Filter, more: RawBuilder<SqlBool>) => {
      const parts = [more]
      if (code) parts.push(sql<SqlBool>\`d.code = \${code}\`)
      if (ids) parts.push(sql<SqlBool>\`d.id = ANY(\${ids}::int[])\`)
      return sql.join(parts, sql\` AND \`)
    }
    export const read = (db: Db, filter: Filter, more: RawBuilder<SqlBool>, table: string) =>
      sql<{ id: number }>\`SELECT d.id FROM \${sql.table(table)} d WHERE \${matching(filter, more)}\`.execute(db)
    export const caller = (db: Db, more: RawBuilder<SqlBool>) => read(db, {}, more, 'device')`)
  expect(faults).toEqual([])
  expect(texts).toEqual(['SELECT d.id FROM "device" d WHERE true AND d.code = $1 AND d.id = ANY($2::int[])'])
})

const unread = statement('read', '{ id: number }', `SELECT id FROM \${sql.table(String(id))}`)

const needed = { unread: { 'vendors read': 'the caller names the table' } }

test('a statement that cannot be read is refused with what to do', async () => {
  const { faults } = await checked(unread)
  expect(faults).toEqual([
    expect.stringMatching(
      /^features\/vendors\/vendors\.queries\.ts:3 read: its text cannot be read: .*run time only/,
    ),
  ])
  expect(faults[0]).toContain("add 'vendors read' to `unread` of documents/sql/exceptions.ts")
})

test('an exception for a text that cannot be read covers none that PostgreSQL refuses', async () => {
  const { faults } = await checked(
    statement('read', '{ code: string }', 'SELECT kode AS code FROM device'),
    needed,
  )
  expect(faults).toEqual([
    expect.stringContaining("if this form is never sent, add 'vendors read' to `misread`"),
  ])
})

test('an exception is accepted where it is needed, and refused where it is not', async () => {
  expect((await checked(unread, needed)).faults).toEqual([])
  const needless = await checked(statement('read', '{ code: string }', 'SELECT code FROM device'), needed)
  expect(needless.faults).toEqual(['exceptions.ts names vendors read, which needs no exception: take it out'])
})
