// How the server opens its database: the owner of the tables migrates them, and calls, devices and jobs work as a role
// that owns none of them.

import type pg from 'pg'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import { StartupError } from '../../process/startup-error.ts'
import { type DatabaseOptions, type OpenDatabase, openDatabase } from '../database.ts'
import { awaitMigrated } from '../schema/await-migrated.ts'
import { listAhead, migrate } from '../schema/migrate.ts'
import { refuseTransactionPooler } from './pooler.ts'
import { grantServerRole, waysToChangeEntries, whoseTables } from './server-role.ts'

/** One connection for partitions, and one for VACUUM meanwhile. */
const ownerPoolSize = 2

export interface OpenDatabases {
  /** What calls, devices and jobs work on. */
  database: OpenDatabase
  /**
   * For what only the owner of the tables may do: partitions, VACUUM. Null in a process that was not given the owner's
   * address; another one does this then.
   */
  owner: pg.Pool | null
  close(): Promise<void>
}

export interface DatabasesOptions extends DatabaseOptions {
  log: Log
  /** Of this program: a database says by whom it was migrated. */
  release?: string
  applicationName: string
  /**
   * Of the tables' owner, in the same database; undefined where the role of `url` owns them or another process does the
   * owner's work.
   */
  ownerUrl: string | undefined
  /** How long a role that may not migrate waits for another process that does. */
  waitForTablesMs: number
}

/**
 * Opens the database with the newest schema. Throws a StartupError that says what to do where the database does not
 * answer, where the schema cannot be migrated, or where the server's role could change the operation log.
 */
export async function openDatabases(options: DatabasesOptions): Promise<OpenDatabases> {
  const { ownerUrl } = options
  return ownerUrl === undefined ? await openAsOne(options) : await openApart(options, ownerUrl)
}

async function openApart(options: DatabasesOptions, ownerUrl: string): Promise<OpenDatabases> {
  const owner = await openDatabase({
    ...options,
    url: ownerUrl,
    setting: 'DATABASE_OWNER_URL',
    poolSize: ownerPoolSize,
    applicationName: `${options.applicationName} owner`,
  })
  return await closingOnFailure(owner, async () => {
    await refuseTransactionPooler(owner.pool, 'DATABASE_OWNER_URL')
    const isAhead = await migrateAndTell(owner, options)
    const database = await openDatabase(options)
    return await closingOnFailure(database, async () => {
      await refuseTransactionPooler(database.pool, 'DATABASE_URL')
      const { role } = await whoseTables(database.pool)
      // A newer release knows better what of its tables the role may do.
      if (!isAhead) await grantServerRole(owner.pool, role)
      const ways = await waysToChangeEntries(database.pool)
      if (ways.length > 0) {
        throw new StartupError(
          spoken({
            zh:
              `DATABASE_URL 的用户 ${role} 不符合要求：${ways.join('；')}。设置 DATABASE_OWNER_URL 后，` +
              '它只能是另建的普通用户（createuser 的默认权限），否则操作日志不受保护。',
            en:
              `The user ${role} of DATABASE_URL has too many rights: it ${ways.join('; it ')}. With DATABASE_OWNER_URL it has to be ` +
              'another, ordinary user (as createuser makes it), or the operation log is not protected.',
          }),
        )
      }
      return {
        database,
        owner: owner.pool,
        close: async () => {
          await database.close()
          await owner.close()
        },
      }
    })
  })
}

async function openAsOne(options: DatabasesOptions): Promise<OpenDatabases> {
  const { log, waitForTablesMs } = options
  const database = await openDatabase(options)
  return await closingOnFailure(database, async () => {
    await refuseTransactionPooler(database.pool, 'DATABASE_URL')
    const { role, isOwner } = await whoseTables(database.pool)
    if (isOwner) await migrateAndTell(database, options)
    else await awaitMigrated(database.pool, { log, limitMs: waitForTablesMs })
    const ways = await waysToChangeEntries(database.pool)
    if (ways.length > 0) {
      log.warn(
        spoken({
          zh:
            `数据库用户 ${role} 能够更改操作日志（${ways.join('；')}）：` +
            '请为服务另建普通用户，并设置 DATABASE_OWNER_URL，见 docs/operating.md',
          en:
            `the database user ${role} can change the operation log (it ${ways.join('; it ')}): ` +
            'make an ordinary user for the server and set DATABASE_OWNER_URL, see docs/operating.md',
        }),
      )
    }
    return { database, owner: isOwner ? database.pool : null, close: database.close }
  })
}

/** Returns whether the database is of a newer release, which this one can live with. */
async function migrateAndTell({ pool }: OpenDatabase, { log, release }: DatabasesOptions): Promise<boolean> {
  const beganMs = performance.now()
  const applied = await migrate(pool, undefined, { log, release })
  if (applied.length > 0)
    log.info(
      {
        count: applied.length,
        newest: applied.at(-1),
        durationMs: Math.round(performance.now() - beganMs),
      },
      spoken({ zh: '数据库已升级', en: 'the database has been upgraded' }),
    )
  const ahead = await listAhead(pool)
  if (ahead.length > 0)
    log.warn(
      { newest: ahead.at(-1) },
      spoken({
        zh: '数据库已由更新的版本升级，本版本可以继续与它一起工作',
        en: 'the database is of a newer release, which this one can go on working with',
      }),
    )
  return ahead.length > 0
}

async function closingOnFailure<T>({ close }: OpenDatabase, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await close()
    throw error
  }
}
