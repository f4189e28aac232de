// Schema migrations: the numbered SQL files of apps/server/migrations, applied in order at every start, each in its own
// transaction, or beside the writes of others where it says so.
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import { StartupError } from '../../process/startup-error.ts'
import { startupTexts } from '../../process/startup-texts.ts'
import { mayTakeLong } from '../connections/query-limit.ts'
import { type Migration, migrationsDir, numberOf, readMigrations } from './migration-files.ts'
import { applyOnline } from './online.ts'
import { withSchemaLock } from './schema-lock.ts'

export { migrationsDir }

/**
 * Whoever waits for a lock on a table has everybody behind it who comes after. A server that goes on beside the
 * migration must not notice it, so it gives up soon and tries again.
 */
const lockLimitMs = 1_000
const pauseMs = 500
const patienceMs = 600_000

interface MigrateOptions {
  /** What the database is told about who has migrated it. */
  release?: string | undefined
  log?: Log | undefined
  /** How long a lock is tried for. */
  patienceMs?: number
}

/**
 * Forward only. Several processes may start at once; one applies, the others wait. A file that was changed or removed
 * after it was applied is refused (StartupError): the database would not have the schema of the files. So is a database
 * with migrations that this release does not have, unless all of them say that it can live with them. Returns the names
 * that were applied.
 */
export async function migrate(
  pool: pg.Pool,
  directory: string = migrationsDir,
  options: MigrateOptions = {},
): Promise<string[]> {
  const migrations = readMigrations(directory)
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    return await mayTakeLong(() => withSchemaLock(client, () => applyPending(client, migrations, options)))
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
  const own = new Set(migrations.map(({ name }) => name))
  const foreign = recorded.find(({ name }) => !own.has(name))
  if (foreign) throw new StartupError(startupTexts.isNewer(foreign.name))
  pendingOf(recorded, migrations)
  await makeRecord(client)
  for (const migration of migrations.slice(0, recorded.length)) {
    // Nobody writes to these tables meanwhile.
    await client.query(migration.sql.replace(/\bCONCURRENTLY\s/gi, ''))
    await record(client, migration, undefined)
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

/** The migrations that the database has and this release does not: it is of a newer one. */
export async function listAhead(pool: pg.Pool, directory: string = migrationsDir): Promise<string[]> {
  const own = new Set(readMigrations(directory).map(({ name }) => name))
  const { rows } = await pool.query<Recorded>(recordedMigrations)
  return rows.map(({ name }) => name).filter((name) => !own.has(name))
}

/** Two columns are younger than the table. */
async function makeRecord(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS schema_migrations (
      name text PRIMARY KEY,
      checksum text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now(),
      works_from text,
      release text
    )`)
  const { rowCount } = await client.query(`
    SELECT FROM pg_attribute WHERE attrelid = 'schema_migrations'::regclass AND attname = 'release'`)
  if (rowCount === 0)
    await client.query('ALTER TABLE schema_migrations ADD COLUMN works_from text, ADD COLUMN release text')
}

async function record(
  client: Pick<pg.ClientBase, 'query'>,
  { name, checksum, worksFrom }: Migration,
  release: string | undefined,
): Promise<void> {
  await client.query(
    'INSERT INTO schema_migrations (name, checksum, works_from, release) VALUES ($1, $2, $3, $4)',
    [name, checksum, worksFrom, release ?? null],
  )
}

async function applyPending(
  client: pg.PoolClient,
  migrations: Migration[],
  options: MigrateOptions,
): Promise<string[]> {
  await makeRecord(client)
  const { rows: recorded } = await client.query<Recorded>(recordedMigrations)
  const pending = pendingOf(recorded, migrations)
  for (const migration of pending) await applyOne(client, migration, options)
  return pending.map(({ name }) => name)
}

interface Recorded {
  name: string
  checksum: string
  /** As Migration has it; null where the migration was applied by a release that did not say it yet. */
  worksFrom?: string | null
  /** The release that has applied it. */
  release?: string | null
}
/** A release that may not migrate may meet the table without its younger columns. */
const recordedMigrations = `
  SELECT name, checksum, to_jsonb(m) ->> 'works_from' AS "worksFrom", to_jsonb(m) ->> 'release' AS release
  FROM schema_migrations m ORDER BY name`

/** The files that the database has not seen. Throws a StartupError where the two do not go together. */
function pendingOf(recorded: Recorded[], migrations: Migration[]): Migration[] {
  const files = new Map(migrations.map((migration) => [migration.name, migration]))
  const own = migrations.at(-1)?.name ?? ''
  for (const { name, checksum, worksFrom = null, release } of recorded) {
    const file = files.get(name)
    if (file === undefined) {
      const canLive = name > own && worksFrom !== null && worksFrom <= numberOf(own)
      if (canLive) continue
      throw new StartupError(startupTexts.isNewer(name, release ?? undefined))
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

async function applyOne(
  client: pg.PoolClient,
  migration: Migration,
  { log, release, patienceMs: patience = patienceMs }: MigrateOptions,
): Promise<void> {
  const { name, sql, isOnline } = migration
  const patiently = async (work: () => Promise<void>) => {
    const beganMs = performance.now()
    for (;;) {
      try {
        await client.query(`SET lock_timeout = ${lockLimitMs}`)
        return await work()
      } catch (error) {
        if (!isInTheWay(error) || performance.now() - beganMs > patience) throw error
        log?.info(
          { migration: name },
          spoken({
            zh: '数据库升级等待其他操作结束，稍后再试',
            en: 'the migration waits for work of others to end, and tries again',
          }),
        )
        await delay(pauseMs)
      }
    }
  }
  try {
    if (isOnline) {
      await applyOnline(client, migration, patiently)
      await record(client, migration, release)
    } else await patiently(() => applyWhole(client, migration, release))
    await client.query('RESET lock_timeout')
  } catch (error) {
    const { message, position } = error as { message: string; position?: string }
    const line = position === undefined || isOnline ? null : sql.slice(0, Number(position)).split('\n').length
    const place = line === null ? { zh: '', en: '' } : { zh: `第 ${line} 行：`, en: `line ${line}: ` }
    throw new StartupError(
      isOnline
        ? spoken({
            zh: `数据库迁移 ${name} 未能完成，下次启动时继续：${message}`,
            en: `The migration ${name} was not completed, the next start goes on with it: ${message}`,
          })
        : spoken({
            zh: `数据库迁移 ${name} 失败，未做任何修改：${place.zh}${message}`,
            en: `The migration ${name} has failed, nothing was changed: ${place.en}${message}`,
          }),
    )
  }
}

async function applyWhole(
  client: pg.PoolClient,
  migration: Migration,
  release: string | undefined,
): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query(migration.sql)
    await record(client, migration, release)
    await client.query('COMMIT')
  } catch (error) {
    // On a lost connection there is nothing to roll back, and the first error is the one to report.
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** A lock was not to be had in time, or two would have waited for each other. */
const isInTheWay = (error: unknown) => ['55P03', '40P01'].includes(String((error as { code?: unknown }).code))
