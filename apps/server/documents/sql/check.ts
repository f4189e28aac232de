// Compares raw statements with a migrated database: PostgreSQL has to take the text of each, and its result has to have
// the columns that the code asserts, of the types that arrive in JavaScript (platform/database/database.ts).
import { basename } from 'node:path'
import type pg from 'pg'
import { createDescriber, type Describe, type DescribedColumn } from './described.ts'
import type { Column, Kind, RawStatement } from './raw-statements.ts'

/** What the check cannot see, each with its reason. A name that is not needed any more is a fault. */
export interface Exceptions {
  /** Statements whose text is known at run time only: `<folder> <function>`. */
  unread: Readonly<Record<string, string>>
  /** Statements that are read in a form which is never sent, and which PostgreSQL refuses: `<folder> <function>`. */
  misread: Readonly<Record<string, string>>
  /** Columns of a table that may be null, and are not in this result: `<folder> <function>.<column>`. */
  neverNull: Readonly<Record<string, string>>
}

export interface Checked extends RawStatement {
  /** Null where the statement is not described. */
  described: readonly DescribedColumn[] | null
}

/** A feature's or a domain part's folder; the whole platform is one. */
export const areaOf = ({ file }: RawStatement) => {
  const [layer = '', folder = ''] = file.split('/')
  return layer === 'features' || layer === 'domain' ? folder : basename(layer, '.ts')
}

/** Without the file, which may be renamed or moved to another room. */
export const keyOf = (statement: RawStatement) => `${areaOf(statement)} ${statement.name}`

export async function checkStatements(
  client: pg.PoolClient,
  statements: readonly RawStatement[],
  exceptions: Exceptions,
): Promise<{ checked: Checked[]; faults: string[] }> {
  await createTemporaryTables(client, statements)
  const describe = await createDescriber(client)
  const faults: string[] = []
  const needed = new Set<string>()
  const checked: Checked[] = []
  for (const statement of statements) {
    const key = keyOf(statement)
    const at = `${statement.file}:${statement.line} ${statement.name}`
    const described = await attempt(describe, statement)
    checked.push({ ...statement, described: typeof described === 'string' ? null : described })
    if (typeof described === 'string') {
      const list = statement.text === null ? 'unread' : 'misread'
      needed.add(key)
      if (!(key in exceptions[list])) faults.push(`${at}: ${described}\n    ${advice[list](key)}`)
      continue
    }
    for (const { column, fault, isAboutNull } of columnFaults(statement, described)) {
      const name = `${key}.${column}`
      if (isAboutNull) needed.add(name)
      if (!isAboutNull || !(name in exceptions.neverNull)) faults.push(`${at}: ${fault}`)
    }
  }
  for (const name of Object.values(exceptions).flatMap(Object.keys))
    if (!needed.has(name)) faults.push(`exceptions.ts names ${name}, which needs no exception: take it out`)
  return { checked, faults }
}

const advice = {
  unread: (key: string) =>
    `write it so that its text can be read from the source, or add '${key}' to \`unread\` of documents/sql/exceptions.ts with the reason`,
  misread: (key: string) =>
    `mend the statement; if this form is never sent, add '${key}' to \`misread\` of documents/sql/exceptions.ts with the reason`,
}

/** Statements of a transaction read tables that it has made itself. */
async function createTemporaryTables(
  client: pg.PoolClient,
  statements: readonly RawStatement[],
): Promise<void> {
  for (const { text } of statements) {
    if (!text?.startsWith('CREATE TEMPORARY TABLE')) continue
    const count = new Set(text.match(/\$\d+/g)).size
    await client.query(text.replace('ON COMMIT DROP', ''), Array(count).fill(null))
  }
}

/** The columns, or why there are none. */
async function attempt(
  describe: Describe,
  { text, trouble }: RawStatement,
): Promise<DescribedColumn[] | string> {
  if (text === null) return `its text cannot be read: ${trouble}`
  // That table is there already.
  if (text.startsWith('CREATE TEMPORARY TABLE')) return []
  try {
    // What pg's `query` is given without values may be several statements.
    if (!text.includes('$')) for (const one of text.split(/;\s+/).slice(0, -1)) await describe(one)
    return await describe(text.includes('$') ? text : (text.split(/;\s+/).at(-1) as string))
  } catch (error) {
    return `PostgreSQL refuses it: ${(error as Error).message}`
  }
}

interface ColumnFault {
  column: string
  fault: string
  isAboutNull: boolean
}

function columnFaults({ columns }: RawStatement, described: readonly DescribedColumn[]): ColumnFault[] {
  return (columns ?? []).flatMap((asserted): ColumnFault[] => {
    const { name: column, type, kinds } = asserted
    const found = described.find(({ name }) => name === column)
    if (!found && kinds.has('missing')) return []
    const asserts = `asserts \`${column}: ${type}\``
    if (!found) {
      const names = described.map(({ name }) => name).join(', ')
      return [
        { column, fault: `${asserts}, and the result has ${names || 'no columns'}`, isAboutNull: false },
      ]
    }
    if (!fits(found, asserted))
      return [{ column, fault: `${asserts}, and the result has ${found.type}`, isAboutNull: false }]
    const admitsNull = kinds.has('null') || kinds.has('any')
    if (found.isNullable === true && !admitsNull)
      return [{ column, fault: `${asserts}, and the column may be null`, isAboutNull: true }]
    if (found.isNullable === false && kinds.has('null'))
      return [{ column, fault: `${asserts}, and the column is never null`, isAboutNull: true }]
    return []
  })
}

function fits({ type }: DescribedColumn, { kinds }: Column): boolean {
  if (kinds.has('any') || type.startsWith('json')) return true
  const arrives = arrivesAs(type)
  return [...kinds].every((kind) => kind === arrives || kind === 'null' || kind === 'missing')
}

function arrivesAs(type: string): Kind {
  if (/^(int2|int4|float4|float8|oid)$/.test(type)) return 'number'
  if (type === 'bool') return 'boolean'
  if (type.startsWith('timestamp')) return 'Date'
  if (type === 'bytea') return 'Buffer'
  return type.startsWith('_') ? 'list' : 'string'
}
