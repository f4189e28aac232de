// The embedded database of another process: what the command line works on while the server runs.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readPidFile } from './orphans.ts'
import { userName } from './process.ts'

/** The clusters of DATA_DIR: none in a new one. */
export function clustersIn(dataDir: string): string[] {
  return readdirSync(dataDir).filter((name) => /^postgres-\d+$/.test(name))
}

/**
 * The owner's address of the database that another process runs in DATA_DIR; null where none does. The directory of its
 * socket, which changes with each start, is the fifth line of its pid file, its state the eighth.
 */
export function runningOwnerUrl(dataDir: string): string | null {
  for (const cluster of clustersIn(dataDir)) {
    const lines = readPidFile(join(dataDir, cluster))
    const [pid, socketDirectory, state] = [Number(lines[0]), lines[4], lines[7]]
    if (!socketDirectory || state?.trim() !== 'ready' || !isAlive(pid)) continue
    return `postgresql://${userName}@localhost/${userName}?host=${encodeURIComponent(socketDirectory)}`
  }
  return null
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
