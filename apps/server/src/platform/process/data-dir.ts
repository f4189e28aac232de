// DATA_DIR: made, closed to other users, and locked by the one process that works in it.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { StartupError } from './startup-error.ts'
import { startupTexts as texts } from './startup-texts.ts'

/** Makes DATA_DIR where it is missing, closed to other users: logs, uploads and the database are in it. */
export function openDataDir(dataDir: string): void {
  try {
    makeDirectory(dataDir)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const file = fileAmong(dataDir)
    if (file !== undefined) {
      throw new StartupError(texts.isFile(dataDir, file))
    }
    throw new StartupError(texts.notWritable(dataDir, (error as NodeJS.ErrnoException).code))
  }
}

/** The path or its nearest existing parent, where that is no directory. */
function fileAmong(path: string): string | undefined {
  // A path below a file is ENOTDIR, which is as good as absent.
  if (!existsSync(path)) return dirname(path) === path ? undefined : fileAmong(dirname(path))
  return statSync(path).isDirectory() ? undefined : path
}

/** Not mkdir's own `recursive`: where a file system answers ENOENT (/proc), it tries again for ever. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return
  if (dirname(path) !== path) makeDirectory(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

export interface DataDirLock {
  release(): void
}

/**
 * Keeps a second server away from the directory for as long as this process lives: the kernel drops the lock with the
 * process, so a `kill -9` leaves nothing to clean up.
 *
 * A shared lock lets the processes of one deployment (ROLES split, one external database) use the same directory, and
 * still refuses a server that wants it for itself. For work that only one of them may do there are separate locks.
 */
export async function lockDataDir(
  dataDir: string,
  {
    isShared = false,
    name = 'lock',
    refusal = (who) => new StartupError(texts.inUse(dataDir, who)),
  }: { isShared?: boolean; name?: string; refusal?: (who: string) => StartupError } = {},
): Promise<DataDirLock> {
  const path = join(dataDir, name)
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  // Node has no flock, but a flock belongs to the open file, not to the process that asked for it:
  // the command locks our descriptor, exits, and the lock stays until our last copy is closed.
  const attempt = spawnSync('flock', [isShared ? '--shared' : '--exclusive', '--nonblock', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', fd],
  })
  if (attempt.error) {
    closeSync(fd)
    return lockBySocket(path, refusal)
  }
  if (attempt.status !== 0) {
    const holder = readFileSync(path, 'utf8').trim()
    closeSync(fd)
    throw refusal(describe(holder))
  }
  ftruncateSync(fd)
  writeSync(fd, `${process.pid}\n`, 0)
  return { release: () => closeSync(fd) }
}

/** Where there is no `flock` command (macOS, Windows): a socket that only one process can listen on. */
async function lockBySocket(path: string, refusal: (who: string) => StartupError): Promise<DataDirLock> {
  const key = createHash('sha256').update(path).digest('hex').slice(0, 12)
  const address =
    process.platform === 'win32' ? `\\\\.\\pipe\\voltkeep-${key}` : join(tmpdir(), `voltkeep-${key}.lock`)
  const server = createServer((socket) => socket.end(`${process.pid}\n`))
  const listen = () =>
    new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(address, () => resolve(true))
    })
  if (!(await listen())) {
    const holder = await new Promise<string | undefined>((resolve) => {
      const probe = createConnection(address)
      probe.once('data', (bytes) => resolve(bytes.toString().trim()))
      probe.once('error', () => resolve(undefined))
    })
    if (holder !== undefined) throw refusal(describe(holder))
    rmSync(address, { force: true })
    if (!(await listen())) throw refusal(describe(''))
  }
  server.unref()
  return { release: () => server.close() }
}

const describe = (holder: string) => texts.otherProcess(holder)
