// SQL of backups. It runs on a connection of the tables' owner, and names no table: what there is stands in the catalog.
import type pg from 'pg'

type Connection = Pick<pg.ClientBase, 'query'>

/** Quotes a name of the catalog. */
export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

const undefinedTable = '42P01'
/** Tables come and go while they are listed. */
const listTries = 5

/**
 * Begins to read as of now. Every table is locked against being emptied and dropped before the snapshot is there, as pg_dump
 * does: TRUNCATE is not of the snapshot, which would find nothing where rows were, and not what was made of these since. Who
 * writes, and who makes partitions, is not hindered; who empties or drops a table has a short lock_timeout and tries again.
 */
export async function beginSnapshot(client: Connection): Promise<void> {
  for (let left = listTries; ; left -= 1) {
    const names = (await listTables(client)).map(({ name }) => quoted(name))
    try {
      await client.query(`
        BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
        SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
        SET LOCAL TimeZone = 'UTC'`)
      // LOCK takes no snapshot: the first query after it does.
      if (names.length > 0) await client.query(`LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE`)
      return
    } catch (error) {
      await client.query('ROLLBACK')
      if ((error as { code?: unknown }).code !== undefinedTable || left === 0) throw error
    }
  }
}

export async function readSituation(client: Connection): Promise<{ takenAt: Date; database: string }> {
  const { rows } = await client.query(`
    SELECT now() AS "takenAt", current_setting('server_version') AS database`)
  return rows[0]
}

/** Null where the database has no tables of this product. */
export async function readMigrations(
  client: Connection,
): Promise<{ name: string; checksum: string }[] | null> {
  const { rows: found } = await client.query(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS "isThere"`,
  )
  if (!found[0]?.isThere) return null
  const { rows } = await client.query('SELECT name, checksum FROM schema_migrations ORDER BY name')
  return rows
}

export interface FoundTable {
  name: string
  columns: string[]
  partition: { of: string; bound: string | null; options: string[] } | null
}

/**
 * Tables with rows, partitions among them. A partition that a crash left detached has no bound; by its name it is
 * of the table whose partition it was.
 */
export async function listTables(client: Connection): Promise<FoundTable[]> {
  const { rows } = await client.query<FoundTable>(`
    SELECT c.relname AS name,
      ARRAY(SELECT a.attname::text FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        ORDER BY a.attnum) AS columns,
      CASE WHEN parent.oid IS NOT NULL THEN jsonb_build_object(
        'of', parent.relname, 'bound', pg_get_expr(c.relpartbound, c.oid),
        'options', to_jsonb(coalesce(c.reloptions, '{}'))) END AS partition
    FROM pg_class c
    LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
    LEFT JOIN pg_class parent ON parent.relkind = 'p' AND parent.relnamespace = c.relnamespace AND (
      parent.oid = i.inhparent
      OR i.inhparent IS NULL AND parent.relname = regexp_replace(c.relname, '(_[0-9]+){1,4}$', ''))
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relpersistence <> 't'
    ORDER BY c.relname`)
  return rows
}

export async function listSequences(
  client: Connection,
): Promise<{ name: string; value: string; isCalled: boolean }[]> {
  const { rows } = await client.query<{ name: string }>(`
    SELECT c.relname AS name FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'S' ORDER BY c.relname`)
  const values: { name: string; value: string; isCalled: boolean }[] = []
  for (const { name } of rows) {
    const { rows: own } = await client.query(
      `SELECT last_value::text AS value, is_called AS "isCalled" FROM ${quoted(name)}`,
    )
    values.push({ name, ...own[0] })
  }
  return values
}

export async function listFileIds(client: Connection): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>('SELECT id::text FROM stored_file ORDER BY id')
  return rows.map(({ id }) => id)
}

/** The secret by which an installation is told from others. Null where it has none yet. */
export async function readInstallation(client: Connection): Promise<Buffer | null> {
  const { rows } = await client.query<{ secret: Buffer }>(
    `SELECT secret FROM platform_secret WHERE name = 'installation'`,
  )
  return rows[0]?.secret ?? null
}

/** Whether the schema has any table: a restore goes into an empty database alone. */
export async function isEmpty(client: Connection): Promise<boolean> {
  const { rows } = await client.query<{ isEmpty: boolean }>(`
    SELECT NOT EXISTS (SELECT FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'S')) AS "isEmpty"`)
  return rows[0]?.isEmpty ?? false
}

interface Constraint {
  table: string
  name: string
  definition: string
}

/** Foreign keys of tables, those of partitions not counted: they follow their table's. */
export async function listForeignKeys(client: Connection): Promise<Constraint[]> {
  const { rows } = await client.query<Constraint>(`
    SELECT c.relname AS "table", k.conname AS name, pg_get_constraintdef(k.oid) AS definition
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
    WHERE k.contype = 'f' AND k.conparentid = 0 AND c.relnamespace = current_schema()::regnamespace
    ORDER BY c.relname, k.conname`)
  return rows
}

interface Trigger {
  table: string
  name: string
  /** As in pg_trigger: O, A, R or D. */
  enabled: string
}

/** Triggers that the migrations have made, those of partitions not counted. */
export async function listTriggers(client: Connection): Promise<Trigger[]> {
  const { rows } = await client.query<Trigger>(`
    SELECT c.relname AS "table", t.tgname AS name, t.tgenabled AS enabled
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND c.relnamespace = current_schema()::regnamespace
    ORDER BY c.relname, t.tgname`)
  return rows
}

export async function countRows(client: Connection, table: string): Promise<number> {
  const { rows } = await client.query<{ n: string }>(`SELECT count(*) AS n FROM ${quoted(table)}`)
  return Number(rows[0]?.n)
}
