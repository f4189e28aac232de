// The server process of the embedded database: how it is started, when it is ready, how it is stopped.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import { StartupError } from '../../process/startup-error.ts'
import type { Invocation, PostgresBinaries } from './binaries.ts'
import { readPidFile } from './orphans.ts'
import { serverLogPath, shortenServerLog } from './server-log.ts'

export const userName = 'voltkeep'
const shutdownLimitMs = 60_000

export interface EmbeddedPostgresOptions {
  /** DATA_DIR. The caller has its lock, so a server that still runs in it is an orphan. */
  dataDir: string
  log: Log
  zone: string
  /** False only in tests, for speed. */
  isDurable?: boolean
  sharedBuffersMb?: number
  /** The `bin` directory of another PostgreSQL, in place of the one that npm installed. */
  binaries?: string
}

export const logDirectoryOf = (dataDir: string) => join(dataDir, 'logs')

export async function startServer(
  clusterDir: string,
  socketDir: string,
  binaries: PostgresBinaries,
  how: Invocation,
  { dataDir, log, zone, isDurable = true, sharedBuffersMb = memoryShareMb(8) }: EmbeddedPostgresOptions,
): Promise<ChildProcess> {
  const settings: Record<string, string> = {
    listen_addresses: '',
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
    shared_buffers: `${sharedBuffersMb}MB`,
    effective_cache_size: `${memoryShareMb(2)}MB`,
    max_wal_size: '4GB',
    // A new cluster has no WAL segments to recycle. Filling each new one with 16 MB of zeros blocked every commit
    // for 60 ms, every three seconds at 5,000 messages a second. A commit into a sparse file takes 0.06 ms longer.
    wal_init_zero: 'off',
    jit: 'off', // Compiling costs more than it saves on queries of milliseconds.
    random_page_cost: '1.1',
    timezone: zone,
    log_timezone: zone,
    cluster_name: userName,
    ...(isDurable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  const logDirectory = logDirectoryOf(dataDir)
  mkdirSync(logDirectory, { recursive: true, mode: 0o700 })
  await shortenServerLog(logDirectory)
  const logPath = serverLogPath(logDirectory)
  // A file, not a pipe through this process: a busy event loop must never block the database.
  const logFd = openSync(logPath, 'a', 0o600)
  const logStart = statSync(logPath).size
  const child = run(
    how,
    join(binaries.directory, 'postgres'),
    ['-D', clusterDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    ['ignore', logFd, logFd],
  )
  closeSync(logFd)
  const exit = exitOf(child)

  // Recovery after a crash may take minutes: wait as long as the server runs.
  const started = Date.now()
  let reportedAt = started
  while (!isReady(clusterDir, child.pid)) {
    const code = await Promise.race([exit, delay(10, 'running' as const)])
    if (code !== 'running') {
      const reason = readFileSync(logPath).subarray(logStart).toString('utf8').trim()
      throw new StartupError(
        spoken({
          zh: `内置数据库启动失败：\n${reason === '' ? `退出码 ${code}` : reason}`,
          en: `The embedded database could not be started:\n${reason === '' ? `exit code ${code}` : reason}`,
        }),
      )
    }
    if (Date.now() - reportedAt > 5_000) {
      reportedAt = Date.now()
      log.info(
        spoken({ zh: '内置数据库正在恢复，请稍候', en: 'the embedded database is recovering, please wait' }),
      )
    }
  }
  log.debug(
    { durationMs: Date.now() - started },
    spoken({ zh: '内置数据库已启动', en: 'the embedded database is running' }),
  )
  return child
}

/** The postmaster writes its state to the eighth line of its pid file. */
function isReady(clusterDir: string, pid: number | undefined): boolean {
  const lines = readPidFile(clusterDir)
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

export async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const exit = exitOf(server)
  // SIGINT: roll back open transactions and shut down. SIGQUIT: stop at once and leave the rest to recovery.
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    server.kill(signal)
    const code = await Promise.race([exit, delay(shutdownLimitMs, 'running' as const, { ref: false })])
    if (code !== 'running') return
  }
}

export function run(
  how: Invocation,
  command: string,
  args: string[],
  stdio: ('ignore' | 'pipe' | number)[],
): ChildProcess {
  const [file = command, ...rest] = [...how.prefix, command, ...args]
  return spawn(file, rest, {
    stdio,
    ...how.spawnAs,
    // A session of its own: Ctrl-C at the terminal must reach this process only, which stops the database last.
    detached: true,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  })
}

export function exitOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve(child.exitCode ?? String(child.signalCode))
      return
    }
    child.once('error', (error) => reject(cannotRun(error)))
    child.once('exit', (code, signal) => resolve(code ?? String(signal)))
  })
}

function cannotRun(error: Error): Error {
  if ((error as NodeJS.ErrnoException).code !== 'EACCES') return error
  return new StartupError(
    spoken({
      zh:
        `无法以非特权用户运行内置 PostgreSQL（${error.message}）：请改用普通用户启动，` +
        '或把程序放到所有用户可进入的目录，或用 DATABASE_URL 指定外部数据库。',
      en:
        `The embedded PostgreSQL cannot be run as an unprivileged user (${error.message}): start as an ordinary user, ` +
        'move the program to a directory that all users may enter, or name an external database with DATABASE_URL.',
    }),
  )
}

/** A share of the memory that this process may use, container limits included, between 64 MB and 16 GB. */
function memoryShareMb(divisor: number): number {
  const limitBytes = process.constrainedMemory() || totalmem()
  const mb = Math.floor(Math.min(limitBytes, totalmem()) / divisor / 1024 / 1024)
  return Math.min(Math.max(mb, 64), 16_384)
}
