import { copyFile, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'

const sizeLimitBytes = 10 * 1024 * 1024
const checkEveryMs = 60_000

/** What PostgreSQL itself has to say, and of the last 10 MB before it what is in `postgres.1.log`. */
export const serverLogPath = (directory: string) => join(directory, 'postgres.log')

/**
 * Where the log has grown too long, its lines move to `postgres.1.log` and it goes on empty. By copy: the
 * server holds the file open, to append. A line that is written meanwhile may be lost.
 */
export async function shortenServerLog(directory: string, limitBytes = sizeLimitBytes): Promise<void> {
  const path = serverLogPath(directory)
  const sizeBytes = await stat(path).then(
    ({ size }) => size,
    () => 0,
  )
  if (sizeBytes <= limitBytes) return
  // On a full disk there is no room for the copy, and all the more need of the space.
  await copyFile(path, join(directory, 'postgres.1.log')).catch(() => undefined)
  await truncate(path).catch(() => undefined)
}

/**
 * Keeps the log short while the server runs: each repeated message of a device is a violated unique key, and
 * a line in it. Answers how to end that.
 */
export function keepServerLogShort(directory: string): () => void {
  const timer = setInterval(() => void shortenServerLog(directory), checkEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}
