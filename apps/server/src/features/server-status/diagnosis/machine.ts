// The machine and the process, as far as it matters for what goes wrong with a server.
import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs'
import { arch, cpus, freemem, hostname, loadavg, release, totalmem, type, uptime, version } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../../platform/process/config.ts'
import { openFilesLimit } from '../../../platform/process/open-files.ts'

const keptLines = 300
/** Of each file, from its end. */
const readBytes = 400_000

export function readMachine({ dataDir, backupDir }: Pick<Config, 'dataDir' | 'backupDir'>) {
  return {
    node: process.versions.node,
    versions: process.versions,
    system: `${type()} ${release()} ${arch()}`,
    kernel: version(),
    distribution: /^PRETTY_NAME="?([^"\n]*)/m.exec(readIfThere('/etc/os-release'))?.[1] ?? null,
    host: hostname(),
    uptimeSeconds: Math.round(uptime()),
    processors: cpus().length,
    processor: cpus()[0]?.model ?? null,
    load: loadavg(),
    memoryBytes: { total: totalmem(), free: freemem(), constrained: process.constrainedMemory() },
    openFilesLimit: openFilesLimit(),
    isRoot: process.getuid?.() === 0,
    isContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
    clock: { time: new Date().toISOString(), zone: Intl.DateTimeFormat().resolvedOptions().timeZone },
    disks: [dataDir, backupDir].flatMap((place) => (place === undefined ? [] : diskOf(place))),
  }
}

function diskOf(place: string) {
  if (!existsSync(place)) return [{ place, isThere: false }]
  const { bsize, blocks, bavail, files, ffree, type: kind } = statfsSync(place)
  return [
    {
      place,
      isThere: true,
      totalBytes: blocks * bsize,
      freeBytes: bavail * bsize,
      files: { total: files, free: ffree },
      kind: kind.toString(16),
    },
  ]
}

/** Warnings and errors of our log files, and the end of PostgreSQL's, the newest last. */
export function readLogs(dataDir: string): Record<string, string[]> {
  const directory = join(dataDir, 'logs')
  if (!existsSync(directory)) return {}
  const names = readdirSync(directory).filter((name) => name.endsWith('.log'))
  return Object.fromEntries(
    names.sort().map((name) => {
      const lines = endOf(join(directory, name))
      const telling = name.startsWith('postgres')
        ? lines
        : lines.filter((line) => /"level":"(warn|error|fatal)"/.test(line))
      return [name, telling.slice(-keptLines)]
    }),
  )
}

function endOf(path: string): string[] {
  const text = readFileSync(path).subarray(-readBytes).toString('utf8')
  return text.split('\n').filter((line) => line !== '')
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
