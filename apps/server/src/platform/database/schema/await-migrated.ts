// A process that may not migrate waits for one that does: services that are started together begin in any order.
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import { StartupError } from '../../process/startup-error.ts'
import { startupTexts } from '../../process/startup-texts.ts'
import { isDatabaseAway } from '../database.ts'
import { findMissing } from './migrate.ts'

const pauseMs = 500
const tellEveryMs = 5_000

/**
 * Resolves when the database has the schema of the files and the role of the pool its rights. Meanwhile a line in the
 * log every five seconds. Throws a StartupError after `limitMs`, and at once where the database is newer.
 */
export async function awaitMigrated(
  pool: pg.Pool,
  { log, limitMs }: { log: Log; limitMs: number },
): Promise<void> {
  const beganMs = performance.now()
  let toldMs = Number.NEGATIVE_INFINITY
  for (;;) {
    const missing = await findMissing(pool).catch((error: unknown) => {
      // It may be started again meanwhile.
      if (isDatabaseAway(error)) return 'database'
      throw error
    })
    if (missing === undefined) return
    const nowMs = performance.now()
    if (nowMs - beganMs >= limitMs) throw new StartupError(problemOf(missing))
    if (nowMs - toldMs >= tellEveryMs) {
      toldMs = nowMs
      log.info(
        { missing },
        spoken({
          zh: '等待设置了 DATABASE_OWNER_URL 的进程建立或升级数据库',
          en: 'waiting for a process with DATABASE_OWNER_URL to make or upgrade the tables',
        }),
      )
    }
    await delay(pauseMs)
  }
}

const problemOf = (missing: string) =>
  missing.endsWith('.sql') ? startupTexts.notMigrated(missing) : startupTexts.noTables
