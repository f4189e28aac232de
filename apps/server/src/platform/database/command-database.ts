import { existsSync } from 'node:fs'
import type { Config } from '../process/config.ts'
import { lockDataDir } from '../process/data-dir.ts'
import type { Log } from '../process/log.ts'
import { StartupError } from '../process/startup-error.ts'
import { primaryAddress } from './connections/hosts.ts'
import { clustersIn, runningOwnerUrl } from './embedded/running.ts'

/**
 * The owner's address of the database that a command of the terminal works on: the external one of the settings, that of
 * the server that runs in DATA_DIR, or the embedded one, started for the time of the work.
 */
export async function onCommandDatabase<Result>(
  {
    config: { dataDir, databaseUrl, databaseOwnerUrl, zone },
    log,
    isNew = false,
    whereNone,
  }: {
    config: Config
    log: Log
    /** There is none in DATA_DIR yet, and one is made. */
    isNew?: boolean
    /** What a refusal says where DATA_DIR has none. */
    whereNone: string
  },
  work: (ownerUrl: string) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl !== undefined) return await work(await primaryAddress(databaseOwnerUrl ?? databaseUrl))
  const isThere = existsSync(dataDir) && clustersIn(dataDir).length > 0
  if (!isNew && !isThere) throw new StartupError(whereNone)
  const running = isNew ? null : runningOwnerUrl(dataDir)
  if (running !== null) return await work(running)
  const lock = await lockDataDir(dataDir)
  try {
    const { startEmbeddedPostgres } = await import('./embedded/embedded.ts')
    const postgres = await startEmbeddedPostgres({ dataDir, log, zone })
    try {
      return await work(postgres.ownerUrl)
    } finally {
      await postgres.stop()
    }
  } finally {
    lock.release()
  }
}
