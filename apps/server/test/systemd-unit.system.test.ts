// The systemd unit of docs/operating.md, and the lines before it: a first start as the user that they make.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { serverFlags } from '../../../scripts/server-flags.mjs'
import { settings } from '../src/platform/process/config.ts'

const root = join(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/operating.md'), 'utf8')
const part = page.slice(page.indexOf('a systemd unit for a user of its own'), page.indexOf('**Stopping.**'))
const blockOf = (language: string) => part.match(new RegExp(`\`\`\`${language}\\n([^\`]*)\`\`\``))?.[1] ?? ''
const [lines, unit] = [blockOf('sh'), blockOf('ini')]
const valuesOf = (key: string) =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value)
const [user, checkout, state] = ['User', 'WorkingDirectory', 'StateDirectory'].map((key) => valuesOf(key)[0])
const environment = Object.fromEntries(
  valuesOf('Environment').map((one) => one?.split(/=(.*)/s).slice(0, 2) ?? []),
)

const directory = mkdtempSync(join(tmpdir(), 'voltkeep-unit-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('it names the directories and the owner that the server needs, and the lines make them', () => {
  const made = lines.trim().split('\n')
  expect(made).toHaveLength(3)
  const [useradd, clone, chown] = made
  expect(useradd).toMatch(new RegExp(`^useradd --system .*--home-dir ${environment.DATA_DIR} .*\\b${user}$`))
  expect(clone).toMatch(new RegExp(`^git clone .* ${checkout}$`))
  // A first start installs and builds in the checkout.
  expect(chown).toBe(`chown -R ${user}: ${checkout}`)
  expect(environment.DATA_DIR).toBe(`/var/lib/${state}`)
  expect(valuesOf('StateDirectoryMode')).toEqual(['0700'])
  const known = Object.values(settings).map(({ name }) => name)
  expect(known).toEqual(expect.arrayContaining(Object.keys(environment)))
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(valuesOf('ExecStart').map((command) => command?.replace(/^\S+\/npm (\w+)$/, '$1') ?? '')).toEqual([
    'start',
  ])
  expect(scripts.start).toBeDefined()
})

const analyze = spawnSync('systemd-analyze', ['--version']).status === 0
test.skipIf(!analyze)('systemd itself finds nothing wrong in it', () => {
  const path = join(directory, 'voltkeep.service')
  // The machine of a test has its npm elsewhere.
  writeFileSync(path, unit.replace(/^(ExecStart=)\S+/m, `$1${process.execPath}`))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' })
  expect([status, stderr.split('\n').filter((line) => line.includes('voltkeep'))]).toEqual([0, []])
})

test.skipIf(!analyze)('nor in the one that the archive installs', () => {
  const path = join(directory, 'installed.service')
  // What install.sh puts there is not on the machine of a test.
  const installed = readFileSync(join(root, 'deploy/voltkeep.service'), 'utf8')
  expect(installed).toMatch(/^ExecStart=\/opt\/voltkeep\/current\/bin\/voltkeep$/m)
  writeFileSync(path, installed.replace(/^(ExecStart=)\S+/m, `$1${process.execPath}`))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' })
  expect([status, stderr.split('\n').filter((line) => line.includes('installed'))]).toEqual([0, []])
})

const isRoot = process.getuid?.() === 0
/** nobody, where the test may become it: a user that owns neither the machine nor the checkout. */
const as = isRoot ? { uid: 65_534, gid: 65_534 } : {}
const mayBe = spawnSync('test', ['-r', join(root, 'package.json')], as).status === 0

/** Starts the server as that user until it is ready, or has ended. */
async function started(dataDir: string): Promise<{ isReady: boolean; output: string }> {
  const { DATA_DIR: _, ...more } = environment
  const child = spawn(process.execPath, [...serverFlags, join(root, 'apps/server/src/main.ts')], {
    ...as,
    env: {
      PATH: process.env.PATH,
      LC_ALL: 'C.UTF-8',
      ...more,
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      HTTP_PORT: '0',
      MQTT_PORT: '0',
      DISK_WARN_PERCENT: '100',
      DISK_STOP_PERCENT: '100',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes: Buffer) => {
      output += bytes.toString()
    })
  const ended = once(child, 'close')
  const isReady = await Promise.race([
    new Promise<boolean>((resolve) => {
      child.on('message', (message: { kind?: string }) => message.kind === 'ready' && resolve(true))
    }),
    ended.then(() => false),
  ])
  if (isReady) child.kill('SIGTERM')
  await ended
  return { isReady, output }
}

test.skipIf(!mayBe)(
  'the server starts as its user in the directory that it makes, and not where it makes none',
  async () => {
    // As /var/lib is: nobody's but root's.
    const parent = join(directory, 'lib')
    mkdirSync(parent)
    chmodSync(directory, 0o755)
    chmodSync(parent, isRoot ? 0o755 : 0o555)
    const missing = await started(join(parent, 'missing'))
    expect([missing.isReady, missing.output]).toEqual([false, expect.stringContaining('启动失败')])

    chmodSync(parent, 0o755)
    const made = join(parent, state as string)
    mkdirSync(made, { mode: Number.parseInt(valuesOf('StateDirectoryMode')[0] as string, 8) })
    if (isRoot) chownSync(made, 65_534, 65_534)
    const { isReady, output } = await started(made)
    expect([isReady, output]).toEqual([true, expect.any(String)])
    expect(statSync(made).mode & 0o777).toBe(0o700)
  },
)
