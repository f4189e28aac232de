import { copyFile, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'

const sizeLimitBytes = 10 * 1024 * 1024
const checkEveryMs = 60_000

/** PostgreSQL's own log; the 10 MB before it are in `postgres.1.log`. */
export const serverLogPath = (directory: string) => join(directory, 'postgres.log')

/**
 * Moves the lines of a log that has grown too long to `postgres.1.log` and truncates it. By copy: the server keeps
 * the file open, to append. A line written at the same moment may be lost.
 */
export async function shortenServerLog(directory: string, limitBytes = sizeLimitBytes): Promise<void> {
  const path = serverLogPath(directory)
  const sizeBytes = await stat(path).then(
    ({ size }) => size,
    () => 0,
  )
  if (sizeBytes <= limitBytes) return
  // On a full disk there is no room for the copy, and the space is needed most.
  await copyFile(path, join(directory, 'postgres.1.log')).catch(() => undefined)
  await truncate(path).catch(() => undefined)
}

/**
 * Keeps the log short while the server runs: each repeated message of a device violates a unique key, which is a
 * line in the log. Returns a function that ends it.
 */
export function keepServerLogShort(directory: string): () => void {
  const timer = setInterval(() => void shortenServerLog(directory), checkEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}
