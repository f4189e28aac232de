import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The URL of a server process's embedded database: line five of its pid file names the directory of its socket. It
 * changes with each start.
 */
export function databaseUrlOf(dataDir: string): string {
  const cluster = readdirSync(dataDir).find((name) => /^postgres-\d+$/.test(name)) as string
  const lines = readFileSync(join(dataDir, cluster, 'postmaster.pid'), 'utf8').split('\n')
  return `postgresql://voltkeep@localhost/voltkeep?host=${encodeURIComponent(lines[4] as string)}`
}
