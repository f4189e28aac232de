// `npm test [-- step …]`: every check of the repository, cheapest first, and a summary line with the numbers of
// passed, failed and skipped. A step that is not a test run counts as one.
import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { texts } from './texts.mjs'

const root = join(import.meta.dirname, '..')
const modules = join(root, 'node_modules')
const isCi = process.env.CI === 'true'
/** Debian installs mosquitto in a directory that is not in an ordinary user's PATH. */
const toolPath = [process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter)
const scratchDir = mkdtempSync(join(tmpdir(), 'voltkeep-run-'))
/** The temporary directory of the run's processes, which tells them from those of others; removed with its files. */
const temporaryDir = join(scratchDir, 'tmp')
mkdirSync(temporaryDir)
// As root, the database and the proxies run as other users.
chmodSync(scratchDir, 0o711)
chmodSync(temporaryDir, 0o1777)
/** A database that is told to end takes so long on a loaded machine. */
const endLimitMs = 30_000
const systemPostgres = oldestPostgres()

const steps = {
  format: program('@biomejs/biome/bin/biome', 'check', '--error-on-warnings'),
  lint: program('oxlint/bin/oxlint', '--type-aware', '--deny-warnings'),
  types: program('typescript/bin/tsc', '--noEmit'),
  doors: program('../scripts/doors.mjs'),
  proofs: program('../scripts/proofs.mjs'),
  unused: program('knip/bin/knip.js', '--no-progress', '--no-config-hints'),
  schema: program('../apps/server/src/platform/database/schema/generate.ts', '--check'),
  sql: program('../apps/server/documents/sql/statements.ts', '--check'),
  // The database tests run once, on the oldest PostgreSQL there is: the other projects run on the embedded one.
  tests: vitest('unit', 'dom', ...(systemPostgres ? [] : ['db']), 'http', 'mqtt', 'system'),
  pg15: withOldestPostgres,
  web: program('../scripts/web-build.mjs'),
  budget: optional('scripts/web-budget.mjs', program('../scripts/web-budget.mjs')),
  e2e: withBrowser(),
}
/** Single projects by name, as parts of `tests`. */
const parts = Object.fromEntries(
  ['unit', 'dom', 'db', 'http', 'mqtt', 'system'].map((name) => [name, vitest(name)]),
)

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in steps) && !(name in parts))
if (unknown.length > 0) {
  console.error(texts.unknownStep(unknown, Object.keys({ ...steps, ...parts })))
  process.exit(1)
}

let current
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => abandon())
process.on('disconnect', () => abandon())

const total = { passed: 0, failed: 0, skipped: 0 }
const failed = []
/** The failed tests with their files, repeated at the end so that a long log's last screen shows them. */
const failures = []
/** Tests that passed only on the retry. The run is green, but they need a fix. */
const secondTries = []
const started = performance.now()
for (const name of asked.length > 0 ? asked : Object.keys(steps)) {
  const since = performance.now()
  console.log(`\n── ${name}`)
  const counts = await (steps[name] ?? parts[name])()
  for (const key of Object.keys(total)) total[key] += counts[key]
  if (counts.failed > 0) failed.push(name)
  const outcome = counts.failed > 0 ? 'FAILED' : counts.passed > 0 ? 'ok' : 'skipped'
  console.log(`── ${name}: ${outcome}, ${seconds(performance.now() - since)}`)
}
rmSync(scratchDir, { recursive: true, force: true })
if (secondTries.length > 0)
  console.log(`\n${texts.secondTries}\n${secondTries.map((line) => `~ ${line}`).join('\n')}`)
if (failures.length > 0) console.log(`\n${failures.map((line) => `✗ ${line}`).join('\n')}`)
console.log(
  `\n${seconds(performance.now() - started)}${failed.length > 0 ? `, failed: ${failed.join(', ')}` : ''}`,
)
// In one language: programs read it.
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exit(total.failed > 0 ? 1 : 0)

/** A program whose exit code tells whether it succeeded. */
function program(path, ...args) {
  return async () => asOne((await run([join(modules, path), ...args])) === 0)
}

function vitest(...projects) {
  return () => countedTests(projects.flatMap((name) => ['--project', name]))
}

async function countedTests(args, env = {}) {
  const report = join(scratchDir, `vitest-${Date.now()}.json`)
  const secondTryReport = join(scratchDir, `second-tries-${Date.now()}.json`)
  const exitCode = await run(
    [
      join(modules, 'vitest/vitest.mjs'),
      ...['run', '--root', root, '--passWithNoTests', ...args],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
      `--reporter=${join(root, 'scripts/second-tries.mjs')}`,
    ],
    { ...env, SECOND_TRIES: secondTryReport },
  )
  if (existsSync(secondTryReport)) {
    for (const { file, test, message } of JSON.parse(readFileSync(secondTryReport, 'utf8')))
      secondTries.push(described(file, test, message))
  }
  if (!existsSync(report)) return asOne(exitCode === 0)
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  )
  // A file that could not be loaded has no tests to fail.
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length
  const failedCount = numFailedTests + brokenFiles
  for (const { name, status, message, assertionResults } of testResults) {
    const tests = assertionResults.filter((test) => test.status === 'failed')
    for (const { fullName, failureMessages } of tests)
      failures.push(described(name, fullName, failureMessages[0]))
    if (status === 'failed' && tests.length === 0) failures.push(described(name, '(the file)', message))
  }
  return {
    passed: numPassedTests,
    failed: failedCount === 0 && exitCode !== 0 ? 1 : failedCount,
    skipped: numPendingTests + numTodoTests,
  }
}

function described(file, test, message = '') {
  return `${relative(root, file)} > ${test}\n    ${message.split('\n')[0]}`
}

/** The program directory and the major version of the oldest PostgreSQL installed. */
function oldestPostgres() {
  const base = '/usr/lib/postgresql'
  const [version] = existsSync(base) ? readdirSync(base).sort((a, b) => Number(a) - Number(b)) : []
  return version === undefined ? undefined : { version, bin: join(base, version, 'bin') }
}

/** The SQL must work with PostgreSQL 15: the database tests run on a distribution's. */
function withOldestPostgres() {
  if (systemPostgres === undefined) {
    return skip(texts.noPostgres)
  }
  console.log(`PostgreSQL ${systemPostgres.version}`)
  return countedTests(['--project', 'db'], { TEST_POSTGRES_BIN: systemPostgres.bin })
}

function withBrowser() {
  return () => {
    const candidates = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
    const browser = process.env.CHROMIUM_PATH || candidates.find((path) => existsSync(path))
    if (browser === undefined || !existsSync(browser)) {
      return skip(texts.noBrowser)
    }
    // Without a UTF-8 locale Chromium saves every file with a Chinese name as `download`.
    return countedTests(['--project', 'e2e'], { CHROMIUM_PATH: browser, LC_ALL: 'C.UTF-8' })
  }
}

/** A person may skip steps whose tools are missing; CI may not. */
function skip(message) {
  console.log(`!! ${message}`)
  return isCi ? { passed: 0, failed: 1, skipped: 0 } : { passed: 0, failed: 0, skipped: 1 }
}

function optional(path, step) {
  return () => (existsSync(join(root, path)) ? step() : { passed: 0, failed: 0, skipped: 0 })
}

function asOne(isGood) {
  return { passed: isGood ? 1 : 0, failed: isGood ? 0 : 1, skipped: 0 }
}

/** The exit code; 1 where the step has left processes behind, which are named as failures and killed. */
async function run(argv, env = {}) {
  current = spawn(process.execPath, argv, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    // A process group of its own, to be killed with the run.
    detached: true,
    env: { ...process.env, NODE_ENV: 'test', PATH: toolPath, TMPDIR: temporaryDir, ...env },
  })
  const { pid } = current
  const code = await new Promise((resolve) => {
    current.on('error', () => resolve(1))
    current.on('exit', (exitCode) => resolve(exitCode ?? 1))
  })
  const until = performance.now() + endLimitMs
  while (processesOfRun().length > 0 && performance.now() < until) await delay(50)
  const left = processesOfRun()
  for (const { command } of left) failures.push(`left behind: ${command}`)
  killLeft()
  clearGroup(pid, 'SIGKILL')
  current = undefined
  return left.length > 0 ? 1 : code
}

/** The living processes that have the run's temporary directory, or work in it. Without /proc none is found. */
function processesOfRun() {
  if (!existsSync('/proc/self/environ')) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
        const isOurs =
          environment.includes(`TMPDIR=${temporaryDir}`) ||
          readlinkSync(`/proc/${pid}/cwd`).startsWith(`${temporaryDir}/`)
        if (!isOurs) return []
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
        return [{ pid: Number(pid), command }]
      } catch {
        // Has ended meanwhile, or belongs to another user.
        return []
      }
    })
}

function killLeft() {
  for (const { pid } of processesOfRun()) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Has ended meanwhile.
    }
  }
}

function clearGroup(pid, signal) {
  try {
    process.kill(-pid, signal)
  } catch {
    // The group is empty.
  }
}

function abandon() {
  if (current) clearGroup(current.pid, 'SIGKILL')
  killLeft()
  rmSync(scratchDir, { recursive: true, force: true })
  process.exit(130)
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`
}
