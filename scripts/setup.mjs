// Prepares a new clone for a command: `npm start`, `npm run demo` and `npm test` run this first, with any Node from
// 20 on. It installs package-lock.json, builds the web where needed, and runs the command with the Node 24 of the
// lock file. `npm start` and `npm run demo` install no development dependencies.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serverFlags } from './server-flags.mjs'
import { texts } from './texts.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const commands = {
  start: { entry: 'apps/server/src/main.ts', needsWeb: true, runsOnly: true, flags: serverFlags },
  dev: { entry: 'scripts/dev.mjs', needsWeb: false },
  demo: { entry: 'scripts/demo.mjs', needsWeb: true, runsOnly: true },
  test: { entry: 'scripts/test.mjs', needsWeb: false },
  'test:long': { entry: 'scripts/test.mjs', needsWeb: false, env: { LONG: '1' } },
  'db:types': { entry: 'apps/server/src/platform/database/schema/generate.ts', needsWeb: false },
  'seed:regions': { entry: 'apps/server/src/features/regions/generate-regions.ts', needsWeb: false },
  'docs:tables': { entry: 'apps/server/documents/tables.ts', needsWeb: false },
  'docs:plans': { entry: 'apps/server/documents/sql/plans.ts', needsWeb: false },
  'docs:sql': { entry: 'apps/server/documents/sql/statements.ts', needsWeb: false },
  'docs:states': { entry: 'apps/server/documents/states.ts', needsWeb: false },
  'docs:coverage': { entry: 'apps/server/documents/coverage.ts', needsWeb: false },
  'docs:screens': { entry: 'scripts/screens.mjs', needsWeb: true },
  'docs:protocol': { entry: 'packages/contract/documents/generate.ts', needsWeb: false },
  release: { entry: 'scripts/release.mjs', needsWeb: true, runsOnly: true },
  attack: { entry: 'bench/attack.ts', needsWeb: false },
  drill: { entry: 'bench/drill.ts', needsWeb: false },
  'bench:actions': { entry: 'bench/actions.ts', needsWeb: false },
  'bench:batches': { entry: 'bench/batches.ts', needsWeb: false },
  'bench:capacity': { entry: 'bench/capacity.ts', needsWeb: false },
  'bench:cabinet': { entry: 'bench/cabinet.ts', needsWeb: true },
  'bench:commands': { entry: 'bench/commands.ts', needsWeb: false },
  'bench:connections': { entry: 'bench/connections.ts', needsWeb: false },
  'bench:handling': { entry: 'bench/handling.ts', needsWeb: true },
  'bench:ingest': { entry: 'bench/ingest.ts', needsWeb: false },
  'bench:lists': { entry: 'bench/lists.ts', needsWeb: false },
  'bench:migrations': { entry: 'bench/migrations.ts', needsWeb: false },
  'bench:mapping': { entry: 'bench/mapping.ts', needsWeb: false },
  'bench:notify': { entry: 'bench/notify.ts', needsWeb: false },
  'bench:readings': { entry: 'bench/readings.ts', needsWeb: false },
  'bench:readings-kills': { entry: 'bench/readings-kills.ts', needsWeb: false },
  'bench:reports': { entry: 'bench/reports.ts', needsWeb: false },
  'bench:home': { entry: 'bench/home.ts', needsWeb: false },
  'bench:export': { entry: 'bench/export.ts', needsWeb: false },
  'bench:feed': { entry: 'bench/feed.ts', needsWeb: false },
  'bench:files': { entry: 'bench/files.ts', needsWeb: false },
  'bench:log-viewer': { entry: 'bench/log-viewer.ts', needsWeb: true },
  'bench:logs': { entry: 'bench/logs.ts', needsWeb: false },
  'bench:first-load': { entry: 'bench/first-load.ts', needsWeb: true },
  'bench:device-list': { entry: 'bench/device-list.ts', needsWeb: false },
  'bench:gate': { entry: 'bench/upgrade-gate.ts', needsWeb: false },
  'bench:upgrades': { entry: 'bench/upgrades.ts', needsWeb: false },
}
const [name = '', ...args] = process.argv.slice(2)
const command = commands[name]
if (command === undefined) fail(texts.unknownCommand(name, Object.keys(commands)))
if (Number(process.versions.node.split('.')[0]) < 20) {
  fail(texts.oldNode(process.versions.node))
}

/** Whether development dependencies are needed too. If they are installed, they stay. */
const isWhole = command.runsOnly !== true
if (!isInstalled()) install()
const node = findNode()
if (command.needsWeb && existsSync(join(root, 'apps/web/index.html'))) {
  const { buildWeb } = await import('./web-build.mjs')
  try {
    if (await buildWeb(node)) console.log(texts.webBuilt)
  } catch (error) {
    fail(error.message)
  }
}
handOver(node, [...(command.flags ?? []), join(root, command.entry), ...args], command.env)

/** Compares a stamp in the usual case; without one (after a manual npm run), compares npm's own record. */
function isInstalled() {
  const noted = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(noted)) return false
  const wanted = lockHash()
  const stamp = readStamp()
  if (stamp === stampOf(wanted, true) || (!isWhole && stamp === stampOf(wanted, false))) return true
  const installed = JSON.parse(readFileSync(noted, 'utf8')).packages
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const isComplete = Object.entries(packages).every(([path, entry]) => {
    if (!path.startsWith('node_modules/')) return true
    if (!isWhole && (entry.dev || entry.devOptional)) return true
    if (entry.link) return installed[path] !== undefined
    return installed[path]?.version === entry.version || (entry.optional && !isForThisMachine(entry))
  })
  if (isComplete) writeStamp(stampOf(wanted, isWhole))
  return isComplete
}

function isForThisMachine({ os, cpu, libc }) {
  if (os && !os.includes(process.platform)) return false
  if (cpu && !cpu.includes(process.arch)) return false
  return !libc || libc.includes(hasGlibc() ? 'glibc' : 'musl')
}

function hasGlibc() {
  return process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime !== undefined
}

function install() {
  console.log(texts.installing)
  // Uses the calling npm and its Node: the `node` in PATH may be the one that npm ci is about to replace. NODE_ENV
  // must not decide what is installed.
  const { npm_execpath: npm, npm_node_execpath: npmNode = process.execPath, ...env } = process.env
  delete env.NODE_ENV
  const development = isWhole ? '--include=dev' : '--omit=dev'
  const options = ['ci', development, '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  const settings = { cwd: root, stdio: 'inherit', env }
  const { status, error } = npm
    ? spawnSync(npmNode, [npm, ...options], settings)
    : spawnSync('npm', options, { ...settings, shell: process.platform === 'win32' })
  if (status !== 0) fail(texts.notInstalled(error?.message ?? ''))
  writeStamp(stampOf(lockHash(), isWhole))
}

/** Identifies what is installed from the lock file: everything, or without development dependencies. */
function stampOf(hash, isAll) {
  return isAll ? hash : `${hash} without development`
}

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

function readStamp() {
  const stamp = join(root, 'node_modules/.voltkeep/lock')
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined
}

function writeStamp(stamp) {
  try {
    mkdirSync(join(root, 'node_modules/.voltkeep'), { recursive: true })
    writeFileSync(join(root, 'node_modules/.voltkeep/lock'), stamp)
  } catch {
    // Not writable, because another user installed it: the next start compares again.
  }
}

/**
 * By its path: the shell of npm may have cached another `node` from before the install. Without a package for the
 * platform, the present Node is used if it can run TypeScript.
 */
function findNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const file = process.platform === 'win32' ? 'node.exe' : 'node'
  const brought = join(root, `node_modules/node-${platform}-${process.arch}/bin/${file}`)
  if (existsSync(brought) && spawnSync(brought, ['--version'], { stdio: 'ignore' }).status === 0)
    return brought
  const [major, minor] = process.versions.node.split('.').map(Number)
  const runsTypeScript = major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18)
  if (runsTypeScript && existsSync(process.execPath)) return process.execPath
  return fail(texts.noNode(`${process.platform}-${process.arch}`, process.versions.node))
}

/**
 * Runs the command and lives as long as it does. The command gets its own session, and signals only from this
 * process: a Ctrl-C at the terminal would otherwise arrive twice, and the second one means "at once". The IPC channel
 * ends it if this process is killed.
 */
function handOver(node, argv, settings = {}) {
  const child = spawn(node, argv, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true,
    cwd: root,
    // Compiled modules are cached with types stripped: a restarted server is ready in half the time (2.7 → 1.3 s,
    // 1.35 → 0.8 s of CPU, on a busy machine). Where the directory is not writable, Node works without.
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules/.voltkeep/compiled'), ...process.env, ...settings },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(error.message))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))

  // npm passes a SIGTERM to the shell in between, which ends without passing it on: watch whether the ancestors are
  // alive.
  const [parent, npm] = ancestors()
  const watch = setInterval(() => {
    if (process.ppid === parent && (npm === undefined || existsSync(`/proc/${npm}`))) return
    clearInterval(watch)
    child.kill('SIGTERM')
  }, 500)
  if (process.env.npm_lifecycle_event === undefined) clearInterval(watch)
}

/** The pid of the parent, and of its parent where /proc exists: the shell, and npm that started it. */
function ancestors() {
  const stat = `/proc/${process.ppid}/stat`
  if (!existsSync(stat)) return [process.ppid]
  const fields = readFileSync(stat, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  const grandparent = Number(fields[1])
  return [process.ppid, grandparent > 1 ? grandparent : undefined]
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
