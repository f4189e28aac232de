// Schema migrations: the numbered SQL files of apps/server/migrations, applied in order at every start, each in its own
// transaction.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { spoken } from '../../process/sentences.ts'
import { StartupError } from '../../process/startup-error.ts'
import { startupTexts } from '../../process/startup-texts.ts'
import { mayTakeLong } from '../connections/query-limit.ts'

export const migrationsDir = fileURLToPath(new URL('../../../../migrations', import.meta.url))

/** The advisory lock of whoever changes the schema: any number that no other program on the same database uses. */
export const schemaLockKey = 7_286_110_451n

interface Migration {
  name: string
  sql: string
  checksum: string
}

/**
 * Forward only. Several processes may start at once; one applies, the others wait. A file that was changed or removed
 * after it was applied is refused (StartupError): the database would not have the schema of the files. Returns the
 * names that were applied.
 */
export async function migrate(pool: pg.Pool, directory: string = migrationsDir): Promise<string[]> {
  const migrations = readMigrations(directory)
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    return await mayTakeLong(async () => {
      await client.query('SELECT pg_advisory_lock($1)', [schemaLockKey])
      const applied = await applyPending(client, migrations)
      await client.query('SELECT pg_advisory_unlock($1)', [schemaLockKey])
      return applied
    })
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    // After a failure the connection is closed, and the lock goes with it.
    client.release(failure)
  }
}

/**
 * Makes the tables as another installation had them, in the caller's transaction: applies the migrations that it had,
 * and no later ones. Throws a StartupError where it had one that is not among the files, or another text of one.
 */
export async function applyMigrations(
  client: Pick<pg.ClientBase, 'query'>,
  recorded: Recorded[],
  directory: string = migrationsDir,
): Promise<void> {
  const migrations = readMigrations(directory)
  pendingOf(recorded, migrations)
  await client.query(recordText)
  for (const { name, sql, checksum } of migrations.slice(0, recorded.length)) {
    await client.query(sql)
    await client.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [name, checksum])
  }
}

/**
 * For connections that may not migrate: the first migration that is missing, or `tables` or `rights` where whoever
 * migrates has not come that far; undefined where all is there. Throws a StartupError where the database is newer.
 */
export async function findMissing(
  pool: pg.Pool,
  directory: string = migrationsDir,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ isMade: boolean; isReadable: boolean | null; isGranted: boolean }>(`
    SELECT own.oid IS NOT NULL AS "isMade", has_table_privilege(own.oid, 'SELECT') AS "isReadable",
      NOT EXISTS (
        SELECT FROM pg_class c WHERE c.relnamespace = own.relnamespace AND c.relowner = own.relowner
          AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname !~ '^operation_log_[0-9]'
          AND NOT has_table_privilege(c.oid, 'SELECT')
      ) AS "isGranted"
    FROM (SELECT to_regclass('schema_migrations') AS oid) AS named
    LEFT JOIN pg_class own ON own.oid = named.oid`)
  const [found] = rows
  if (!found?.isMade) return 'tables'
  if (!found.isReadable) return 'rights'
  const { rows: recorded } = await pool.query<Recorded>(recordedMigrations)
  return pendingOf(recorded, readMigrations(directory))[0]?.name ?? (found.isGranted ? undefined : 'rights')
}

function readMigrations(directory: string): Migration[] {
  const names = readdirSync(directory)
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name))
    .sort()
  for (const [index, name] of names.entries()) {
    if (names[index - 1]?.slice(0, 4) === name.slice(0, 4)) {
      throw new StartupError(
        spoken({
          zh: `数据库迁移编号重复：${names[index - 1]} 与 ${name}，请改名其中一个。`,
          en: `The migrations ${names[index - 1]} and ${name} have one number: rename one of them.`,
        }),
      )
    }
  }
  return names.map((name) => {
    // A checkout on Windows may convert line ends; that is no change.
    const sql = readFileSync(join(directory, name), 'utf8').replaceAll('\r\n', '\n')
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
  })
}

const recordText = `
  CREATE TABLE IF NOT EXISTS schema_migrations (
    name text PRIMARY KEY,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`

async function applyPending(client: pg.PoolClient, migrations: Migration[]): Promise<string[]> {
  await client.query(recordText)
  const { rows: recorded } = await client.query<Recorded>(recordedMigrations)
  const pending = pendingOf(recorded, migrations)
  for (const migration of pending) await applyOne(client, migration)
  return pending.map(({ name }) => name)
}

type Recorded = Pick<Migration, 'name' | 'checksum'>
const recordedMigrations = 'SELECT name, checksum FROM schema_migrations ORDER BY name'

/** The files that the database has not seen. Throws a StartupError where the two do not go together. */
function pendingOf(recorded: Recorded[], migrations: Migration[]): Migration[] {
  const files = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const { name, checksum } of recorded) {
    const file = files.get(name)
    if (file === undefined) {
      throw new StartupError(startupTexts.isNewer(name))
    }
    if (file.checksum !== checksum) {
      throw new StartupError(
        spoken({
          zh: `迁移文件 ${name} 在应用之后被修改过：请恢复原文件，并把修改写成新的迁移。`,
          en: `The migration ${name} was changed after it had been applied: restore the file, and write the change as a new migration.`,
        }),
      )
    }
  }
  const newest = recorded.at(-1)?.name ?? ''
  const pending = migrations.filter(({ name }) => !recorded.some((record) => record.name === name))
  const early = pending.find(({ name }) => name < newest)
  if (early !== undefined) {
    throw new StartupError(
      spoken({
        zh: `迁移文件 ${early.name} 的编号早于已应用的 ${newest}：请改用更大的编号。`,
        en: `The migration ${early.name} has a lower number than ${newest}, which has been applied: give it a higher one.`,
      }),
    )
  }
  return pending
}

async function applyOne(client: pg.PoolClient, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query(sql)
    await client.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [name, checksum])
    await client.query('COMMIT')
  } catch (error) {
    // On a lost connection there is nothing to roll back, and the first error is the one to report.
    await client.query('ROLLBACK').catch(() => undefined)
    const { message, position } = error as { message: string; position?: string }
    const line = position === undefined ? null : sql.slice(0, Number(position)).split('\n').length
    const place = line === null ? { zh: '', en: '' } : { zh: `第 ${line} 行：`, en: `line ${line}: ` }
    throw new StartupError(
      spoken({
        zh: `数据库迁移 ${name} 失败，未做任何修改：${place.zh}${message}`,
        en: `The migration ${name} has failed, nothing was changed: ${place.en}${message}`,
      }),
    )
  }
}
