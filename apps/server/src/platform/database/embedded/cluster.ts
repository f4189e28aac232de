// The files of the embedded database: made once, owned by the user that runs the server, reached by a socket.

import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { syncDirectory } from '../../process/disk/files-on-disk.ts'
import { spoken } from '../../process/sentences.ts'
import { StartupError } from '../../process/startup-error.ts'
import type { Invocation, PostgresBinaries } from './binaries.ts'
import { type EmbeddedPostgresOptions, exitOf, run, userName } from './process.ts'
import { clustersIn } from './running.ts'

/** A new release may bring a new major version. An empty database beside the old one would look like lost data. */
export function refuseOtherMajor(dataDir: string, major: number): void {
  if (existsSync(join(dataDir, `postgres-${major}`))) return
  const [other] = clustersIn(dataDir)
  if (other === undefined) return
  throw new StartupError(
    spoken({
      zh:
        `数据目录 ${dataDir} 中的数据库（${other}）属于另一个 PostgreSQL 大版本，当前为 ${major}：` +
        '请先用原来的版本导出数据，再导入新的数据目录。',
      en:
        `The database in DATA_DIR ${dataDir} (${other}) is of another major version of PostgreSQL, this release has ${major}: ` +
        'export the data with the former release, and import them into a new directory.',
    }),
  )
}

/**
 * Makes the cluster under another name and renames it when it is complete: an initialization that was killed
 * half way is done again.
 */
export async function initializeCluster(
  clusterDir: string,
  binaries: PostgresBinaries,
  how: Invocation,
  { log, isDurable = true }: EmbeddedPostgresOptions,
): Promise<void> {
  clearUnfinished(clusterDir)
  if (existsSync(clusterDir)) return
  const started = Date.now()
  // A new name each time: an initdb whose parent was killed may still be removing the last one.
  const unfinishedDir = mkdtempSync(`${clusterDir}.unfinished-`)
  giveToOwner(unfinishedDir, how)
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
  if (code !== 0)
    throw new StartupError(
      spoken({
        zh: `内置数据库初始化失败：\n${output.trim()}`,
        en: `The embedded database could not be made:\n${output.trim()}`,
      }),
    )
  renameSync(unfinishedDir, clusterDir)
  await syncDirectory(dirname(clusterDir))
  log.info(
    { durationMs: Date.now() - started },
    spoken({ zh: '内置数据库已初始化', en: 'the embedded database has been made' }),
  )
}

function clearUnfinished(clusterDir: string): void {
  const parent = dirname(clusterDir)
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(`${basename(clusterDir)}.unfinished-`)) continue
    try {
      rmSync(join(parent, name), { recursive: true, force: true })
    } catch {
      // Still in use: the next start removes it.
    }
  }
}

/** Gives the cluster to the user that runs the server, which may differ from one start to the next (root or not). */
export function giveToOwner(clusterDir: string, how: Invocation): void {
  if (process.getuid?.() !== 0) return
  // A user without the right to pass closed directories needs an open path to the cluster.
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
 * The path of a unix socket is limited to about 107 bytes, and DATA_DIR may be longer. So the socket is in a short
 * directory, named by a hash of the path of the cluster.
 */
export function makeSocketDir(clusterDir: string, how: Invocation): string {
  const key = createHash('sha256').update(clusterDir).digest('hex').slice(0, 12)
  const name = `voltkeep-${process.getuid?.() ?? 0}-${key}`
  const parent = tmpdir().length <= 60 ? tmpdir() : '/tmp'
  const path = join(parent, name)
  // Left by a killed server, which root may have run as another user.
  if (process.getuid?.() === 0) rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = lstatSync(path)
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0) {
    throw new StartupError(
      spoken({
        zh: `目录 ${path} 不属于当前用户或权限过宽，内置数据库无法使用：请删除它后重试。`,
        en: `The directory ${path} belongs to another user or is open to others, the embedded database cannot use it: remove it and try again.`,
      }),
    )
  }
  if (how.ownerId !== undefined) chownSync(path, how.ownerId, how.ownerId)
  return path
}
