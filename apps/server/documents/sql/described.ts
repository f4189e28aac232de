// Asks PostgreSQL to prepare a statement and to say what its result would be, without running it.
import type pg from 'pg'

export interface DescribedColumn {
  name: string
  /** The type's name in pg_type. */
  type: string
  /** Null where it cannot be told: a computed column, one behind an outer join, one that the statement has compared. */
  isNullable: boolean | null
}

export type Describe = (text: string) => Promise<DescribedColumn[]>

/** The part of pg's message RowDescription that is used. */
interface Field {
  name: string
  dataTypeID: number
  /** The table and column that the result takes over as it is; 0 where it is computed. */
  tableID: number
  columnID: number
}

export async function createDescriber(client: pg.PoolClient): Promise<Describe> {
  const types = await client.query<{ oid: number; name: string }>(
    'SELECT oid::int, typname AS name FROM pg_type',
  )
  const typeNames = new Map(types.rows.map(({ oid, name }) => [oid, name]))
  const { rows } = await client.query<TableColumn & { key: string }>(`
    SELECT a.attrelid || '.' || a.attnum AS key, c.relname AS table, a.attname AS column, a.attnotnull AS "isNotNull"
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relkind IN ('r', 'p')`)
  const columns = new Map(rows.map((row) => [row.key, row]))
  return async (text) => {
    const fields = await describeStatement(client, text)
    return fields.map(({ name, dataTypeID, tableID, columnID }) => {
      const column = columns.get(`${tableID}.${columnID}`)
      const isNullable = column ? isNullableIn(text, column) : null
      return { name, type: typeNames.get(dataTypeID) ?? String(dataTypeID), isNullable }
    })
  }
}

interface TableColumn {
  table: string
  column: string
  isNotNull: boolean
}

function isNullableIn(text: string, { table, column, isNotNull }: TableColumn): boolean | null {
  if (!isNotNull) return isCompared(text, column) ? null : true
  if (!/\b(LEFT|RIGHT|FULL)\b|\bGROUPING SETS\b|\bUNION\b/.test(text)) return false
  const joins = [
    ...text.matchAll(new RegExp(`(\\bLEFT )?\\b(?:JOIN|FROM|UPDATE|INTO|,)\\s+"?${table}\\b`, 'g')),
  ]
  return joins.length > 0 && joins.every(([, left]) => left !== undefined) ? true : null
}

/** Rows in which the column is null may be left out: by a condition, or by an inner join on it. */
function isCompared(text: string, column: string): boolean {
  const name = `(?:\\w+\\.)?${column}`
  return new RegExp(
    `\\b${name} (?:IS NOT NULL|<> '')|(?<!LEFT )\\bJOIN \\w+ \\w+ ON \\w+\\.id = ${name}\\b`,
  ).test(text)
}

function describeStatement(client: pg.PoolClient, text: string): Promise<Field[]> {
  return new Promise((resolve, reject) => {
    let fields: Field[] = []
    // The part of a query that pg calls while its messages arrive. After an error it calls nothing more of it.
    const query = {
      submit(connection: { parse(query: object): void; describe(query: object): void; sync(): void }) {
        connection.parse({ text })
        connection.describe({ type: 'S' })
        connection.sync()
      },
      handleRowDescription(message: { fields: Field[] }) {
        fields = message.fields
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(fields),
    }
    client.query(query as unknown as pg.Submittable)
  })
}
