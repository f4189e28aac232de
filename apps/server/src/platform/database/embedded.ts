import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import type { Log } from '../log.ts'
import { StartupError } from '../startup-error.ts'
import {
  findPostgresBinaries,
  type Invocation,
  invocation,
  type PostgresBinaries,
} from './embedded-binaries.ts'
import { keepServerLogShort, serverLogPath, shortenServerLog } from './embedded-log.ts'

const userName = 'voltkeep'
const shutdownLimitMs = 60_000
const orphanLimitMs = 30_000
const restartPauseMs = 2_000

export interface EmbeddedPostgresOptions {
  /** DATA_DIR. The caller holds its lock: what still runs in the database's directory is an orphan. */
  dataDir: string
  log: Log
  zone: string
  /** Only tests give durability away, for speed. */
  isDurable?: boolean
  sharedBuffersMb?: number
  /** Another PostgreSQL's `bin` directory in place of the one that npm installed. */
  binaries?: string
}

export interface EmbeddedPostgres {
  /** The address of the product's own database. */
  url: string
  /** The address of any database on this server. */
  urlOf(database: string): string
  stop(): Promise<void>
}

/**
 * Starts the PostgreSQL that npm installed, on DATA_DIR/postgres-<major>, reachable through a unix
 * socket in a closed directory only. It dies with this process (or is taken down by the next start),
 * and is started again when it goes away by itself.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log } = options
  const binaries = findPostgresBinaries(options.binaries)
  const dataDir = realpathSync(options.dataDir)
  const clusterDir = join(dataDir, `postgres-${binaries.major}`)
  const how = invocation()
  refuseOtherMajor(dataDir, binaries.major)
  await endOrphans(clusterDir, log)
  await initialize(clusterDir, binaries, how, options)
  handOver(clusterDir, how)
  const socketDir = makeSocketDir(clusterDir, how)

  let isStopping = false
  let server: ChildProcess

  const launch = async () => {
    await endOrphans(clusterDir, log)
    server = await startServer(clusterDir, socketDir, binaries, how, options)
    const started = server
    started.once('exit', (code, signal) => {
      if (isStopping) return
      log.error({ code, signal }, '内置数据库意外退出，正在重新启动')
      void relaunch()
    })
  }
  const relaunch = async () => {
    while (!isStopping) {
      try {
        await launch()
        log.info('内置数据库已恢复')
        return
      } catch (err) {
        log.error({ err }, '内置数据库未能启动，稍后重试')
        await delay(restartPauseMs)
      }
    }
  }

  await launch()
  const leaveLog = keepServerLogShort(logDirectoryOf(dataDir))
  const urlOf = (database: string) =>
    `postgresql://${userName}@localhost/${database}?host=${encodeURIComponent(socketDir)}`
  await createDatabase(urlOf('postgres'), userName)
  return {
    url: urlOf(userName),
    urlOf,
    async stop() {
      isStopping = true
      leaveLog()
      await stopServer(server)
      rmSync(socketDir, { recursive: true, force: true })
    },
  }
}

const logDirectoryOf = (dataDir: string) => join(dataDir, 'logs')

/** A new release may bring a new major version; starting an empty database beside the old one would look like loss. */
function refuseOtherMajor(dataDir: string, major: number): void {
  if (existsSync(join(dataDir, `postgres-${major}`))) return
  const other = readdirSync(dataDir).find((name) => /^postgres-\d+$/.test(name))
  if (other === undefined) return
  throw new StartupError(
    `数据目录 ${dataDir} 中的数据库（${other}）属于另一个 PostgreSQL 大版本，当前为 ${major}：` +
      '请先用原来的版本导出数据，再导入新的数据目录。',
  )
}

/**
 * Makes the cluster beside its final name and renames it when it is complete, so that an
 * initialization that was killed half way is simply done again.
 */
async function initialize(
  clusterDir: string,
  binaries: PostgresBinaries,
  how: Invocation,
  { log, isDurable = true }: EmbeddedPostgresOptions,
): Promise<void> {
  clearUnfinished(clusterDir)
  if (existsSync(clusterDir)) return
  const started = Date.now()
  // A name of its own: an initdb whose server was killed may still be tidying up in the last one.
  const unfinishedDir = mkdtempSync(`${clusterDir}.unfinished-`)
  handOver(unfinishedDir, how)
  // The builtin locale sorts by code point, the same on every system, and came with version 17.
  const locale =
    binaries.major >= 17
      ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
      : ['--locale=C.UTF-8']
  const process = run(
    how,
    join(binaries.directory, 'initdb'),
    [
      `--pgdata=${unfinishedDir}`,
      `--username=${userName}`,
      '--auth=trust', // The socket's directory is closed to every other user.
      '--encoding=UTF8',
      ...locale,
      '--no-instructions',
      ...(isDurable ? [] : ['--no-sync']),
    ],
    ['ignore', 'pipe', 'pipe'],
  )
  let output = ''
  process.stdout?.on('data', (bytes) => {
    output += bytes
  })
  process.stderr?.on('data', (bytes) => {
    output += bytes
  })
  const code = await exitOf(process)
  if (code !== 0) throw new StartupError(`内置数据库初始化失败：\n${output.trim()}`)
  renameSync(unfinishedDir, clusterDir)
  syncDirectory(dirname(clusterDir))
  log.info({ durationMs: Date.now() - started }, '内置数据库已初始化')
}

function clearUnfinished(clusterDir: string): void {
  const parent = dirname(clusterDir)
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(`${basename(clusterDir)}.unfinished-`)) continue
    try {
      rmSync(join(parent, name), { recursive: true, force: true })
    } catch {
      // Still in use: the next start will do it.
    }
  }
}

function syncDirectory(path: string): void {
  const fd = openSync(path, 'r')
  fsyncSync(fd)
  closeSync(fd)
}

/** Gives the cluster to whoever will run it; a change of ways (root or not, another host) passes here too. */
function handOver(clusterDir: string, how: Invocation): void {
  if (process.getuid?.() !== 0) return
  // Without the right to pass closed directories, the way to the cluster must be open.
  if (how.spawnAs !== undefined) chmodSync(dirname(clusterDir), 0o711)
  const ownerId = how.ownerId ?? 0
  if (statSync(clusterDir).uid === ownerId) return
  const visit = (path: string) => {
    chownSync(path, ownerId, ownerId)
    if (!lstatSync(path).isDirectory()) return
    for (const name of readdirSync(path)) visit(join(path, name))
  }
  visit(clusterDir)
}

/**
 * A unix socket's path may not be longer than about 107 bytes and DATA_DIR may be, so the socket
 * stands in a short directory keyed by the cluster's path.
 */
function makeSocketDir(clusterDir: string, how: Invocation): string {
  const key = createHash('sha256').update(clusterDir).digest('hex').slice(0, 12)
  const name = `voltkeep-${process.getuid?.() ?? 0}-${key}`
  const parent = tmpdir().length <= 60 ? tmpdir() : '/tmp'
  const path = join(parent, name)
  // Left by a killed server: it may have been run in another of root's ways.
  if (process.getuid?.() === 0) rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = lstatSync(path)
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0) {
    throw new StartupError(`目录 ${path} 不属于当前用户或权限过宽，内置数据库无法使用：请删除它后重试。`)
  }
  if (how.ownerId !== undefined) chownSync(path, how.ownerId, how.ownerId)
  return path
}

async function startServer(
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
    // A fresh cluster has no segments to use again; to write 16 MB of zeros into each new one held every commit
    // for 60 ms, every three seconds at 5,000 messages a second. A commit into a hole takes 0.06 ms longer.
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
  // A file, not a pipe through this process: a busy event loop must never hold up the database.
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

  // Recovery after a crash may take minutes: wait as long as the process lives.
  const started = Date.now()
  let reportedAt = started
  while (!isReady(clusterDir, child.pid)) {
    const code = await Promise.race([exit, delay(10, 'running' as const)])
    if (code !== 'running') {
      const reason = readFileSync(logPath).subarray(logStart).toString('utf8').trim()
      throw new StartupError(`内置数据库启动失败：\n${reason === '' ? `退出码 ${code}` : reason}`)
    }
    if (Date.now() - reportedAt > 5_000) {
      reportedAt = Date.now()
      log.info('内置数据库正在恢复，请稍候')
    }
  }
  log.debug({ durationMs: Date.now() - started }, '内置数据库已启动')
  return child
}

/** The postmaster writes its state to the eighth line of its pid file. */
function isReady(clusterDir: string, pid: number | undefined): boolean {
  const lines = readPidFile(clusterDir)
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

function readPidFile(clusterDir: string): string[] {
  try {
    return readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const exit = exitOf(server)
  // SIGINT: roll back what is open and shut down cleanly. SIGQUIT: leave it to recovery.
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    server.kill(signal)
    const code = await Promise.race([exit, delay(shutdownLimitMs, 'running' as const, { ref: false })])
    if (code !== 'running') return
  }
}

/**
 * Ends what an earlier server left running in the cluster's directory. Since we hold the lock on
 * DATA_DIR, whatever works there belongs to a server that was killed; with the parent-death signal
 * it is already shutting down, without it we say so now.
 *
 * Then a pid file that is still there is stale, and goes: its number may meanwhile belong to another
 * process, which PostgreSQL would take for itself and refuse to start.
 */
async function endOrphans(clusterDir: string, log: Log): Promise<void> {
  if (!existsSync(clusterDir)) return
  const pid = Number(readPidFile(clusterDir)[0])
  if (process.platform !== 'linux') {
    // Without /proc we cannot tell whose number it is; PostgreSQL's own check has the last word.
    if (pid > 0) signal(pid, 'SIGINT')
    for (let waited = 0; pid > 0 && signal(pid, 0) && waited < orphanLimitMs; waited += 50) await delay(50)
    return
  }
  const started = Date.now()
  let orphans = processesWorkingIn(clusterDir)
  if (orphans.includes(pid)) {
    log.warn({ pid }, '上次运行遗留的内置数据库仍在运行，正在停止')
    signal(pid, 'SIGINT')
  }
  while (orphans.length > 0) {
    if (Date.now() - started > orphanLimitMs) {
      for (const orphan of orphans) signal(orphan, 'SIGKILL')
    }
    await delay(20)
    orphans = processesWorkingIn(clusterDir)
  }
  rmSync(join(clusterDir, 'postmaster.pid'), { force: true })
}

function processesWorkingIn(directory: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readlinkSync(`/proc/${name}/cwd`) === directory
      } catch {
        return false // Gone, or not ours to look at.
      }
    })
    .map(Number)
}

/** Answers whether there was such a process; it may end at any moment, and that is no error. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

function run(
  how: Invocation,
  command: string,
  args: string[],
  stdio: ('ignore' | 'pipe' | number)[],
): ChildProcess {
  const [file = command, ...rest] = [...how.prefix, command, ...args]
  return spawn(file, rest, {
    stdio,
    ...how.spawnAs,
    // Its own session: Ctrl-C at the terminal must reach us alone, who stop the database last.
    detached: true,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  })
}

function exitOf(child: ChildProcess): Promise<number | string> {
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
    `无法以非特权用户运行内置 PostgreSQL（${error.message}）：请改用普通用户启动，` +
      '或把程序放到所有用户可进入的目录，或用 DATABASE_URL 指定外部数据库。',
  )
}

async function createDatabase(maintenanceUrl: string, name: string): Promise<void> {
  const client = new Client({ connectionString: maintenanceUrl })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
}

/** A share of the memory this process may use, container limits included. */
function memoryShareMb(divisor: number): number {
  const limitBytes = process.constrainedMemory() || totalmem()
  const mb = Math.floor(Math.min(limitBytes, totalmem()) / divisor / 1024 / 1024)
  return Math.min(Math.max(mb, 64), 16_384)
}
