// Migrations beside the writes of others: indexes of large tables, constraints that are checked, columns that are filled.
import type pg from 'pg'
import { type Migration, onlineStatements } from './migration-files.ts'

type Connection = Pick<pg.ClientBase, 'query'>
/** Runs a statement that has to have a lock for a moment, and tries again where it does not get it. */
type Patiently = (work: () => Promise<void>) => Promise<void>

const concurrentIndex = /^CREATE\s+(UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(\w+)\s+ON\s+(\w+)\s+(\S[\s\S]*)$/i

/**
 * Runs the statements of a file one after the other. A start that was killed at it begins anew: what is there already is
 * passed over, and the unfinished rest of an index is removed first.
 */
export async function applyOnline(
  client: Connection,
  { sql }: Migration,
  patiently: Patiently,
): Promise<void> {
  for (const { text, isRepeated } of onlineStatements(sql)) {
    const [, unique = '', name = '', table = '', rest = ''] = concurrentIndex.exec(text) ?? []
    if (name !== '') await makeIndex(client, { unique, name, table, rest }, patiently)
    else if (/\bCONCURRENTLY\b/i.test(text)) await withoutLockLimit(client, text)
    else {
      let count: number
      do {
        count = 0
        await patiently(async () => {
          count = (await client.query(text)).rowCount ?? 0
        })
      } while (isRepeated && count > 0)
    }
  }
}

interface Index {
  unique: string
  name: string
  table: string
  /** Columns and conditions. */
  rest: string
}

/**
 * PostgreSQL makes no index of a partitioned table beside its writes: that of the table is made empty, which partitions
 * made from then on have too, and each partition's is made by itself.
 */
async function makeIndex(client: Connection, index: Index, patiently: Patiently): Promise<void> {
  const { unique, name, table, rest } = index
  if (!(await isPartitioned(client, table))) return await makeOne(client, index)
  await patiently(async () => {
    await client.query(`CREATE ${unique}INDEX IF NOT EXISTS ${name} ON ONLY ${table} ${rest}`)
  })
  for (const { partition, has } of await listPartitions(client, table, name)) {
    if (has) continue
    const own = { unique, name: partitionIndexName(name, partition), table: partition, rest }
    await makeOne(client, own)
    await patiently(async () => {
      await client.query(`ALTER INDEX ${name} ATTACH PARTITION ${own.name}`)
    })
  }
}

/** PostgreSQL cuts names at 63 bytes. */
const partitionIndexName = (index: string, partition: string) =>
  `${index.slice(0, 60 - partition.length)}_${partition}`

async function makeOne(client: Connection, { unique, name, table, rest }: Index): Promise<void> {
  const { rows } = await client.query<{ isValid: boolean }>(
    'SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  )
  if (rows[0]?.isValid) return
  if (rows[0]) await withoutLockLimit(client, `DROP INDEX CONCURRENTLY ${name}`)
  await withoutLockLimit(client, `CREATE ${unique}INDEX CONCURRENTLY ${name} ON ${table} ${rest}`)
}

/** It waits for transactions of others, and nobody waits for it. */
async function withoutLockLimit(client: Connection, statement: string): Promise<void> {
  await client.query('SET lock_timeout = 0')
  await client.query(statement)
}

async function isPartitioned(client: Connection, table: string): Promise<boolean> {
  const { rows } = await client.query<{ isPartitioned: boolean }>(
    `SELECT relkind = 'p' AS "isPartitioned" FROM pg_class WHERE oid = $1::regclass`,
    [table],
  )
  return rows[0]?.isPartitioned ?? false
}

/** With whether the partition has its part of the index: those made since have. */
async function listPartitions(
  client: Connection,
  table: string,
  index: string,
): Promise<{ partition: string; has: boolean }[]> {
  const { rows } = await client.query<{ partition: string; has: boolean }>(
    `SELECT c.relname AS partition, EXISTS (
        SELECT FROM pg_inherits part JOIN pg_index own ON own.indexrelid = part.inhrelid
        WHERE part.inhparent = $2::regclass AND own.indrelid = c.oid
      ) AS has
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = $1::regclass ORDER BY c.relname`,
    [table, index],
  )
  return rows
}
