import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { times } from '../../../../test/long.ts'
import { unprivilegedId } from './binaries.ts'

const holder = join(import.meta.dirname, '../../../../test/postgres-process.ts')

describe('the embedded PostgreSQL', () => {
  let parent: string
  let dataDir: string
  let child: ChildProcess | undefined
  let output = ''
  let commandPath: string | undefined

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'voltkeep-embedded-'))
    dataDir = join(parent, 'data')
    commandPath = process.env.PATH
  })
  afterEach(async () => {
    await end('SIGKILL')
    // Without a parent-death signal, processes are left over.
    while (workers().length > 0) {
      for (const pid of workers()) {
        try {
          process.kill(pid, 'SIGQUIT')
        } catch {
          // It has ended already.
        }
      }
      await delay(20)
    }
    rmSync(parent, { recursive: true, force: true })
  })

  function spawnHolder(): ChildProcess {
    output = ''
    child = fork(holder, [dataDir], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // The parent of the socket's directory, which a killed server leaves behind.
      env: { ...process.env, TMPDIR: parent, PATH: commandPath },
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (bytes: Buffer) => {
        output += bytes.toString()
      })
    }
    return child
  }
  async function start(): Promise<string> {
    const started = spawnHolder()
    return new Promise((resolve, reject) => {
      started.once('message', (message: { url: string }) => resolve(message.url))
      started.once('exit', () => reject(new Error(output)))
    })
  }
  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill(signal)
    await exit
  }
  /** Ids of processes that work in the cluster's directory: the database and its helpers. */
  function workers(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((name) => {
        try {
          return readlinkSync(`/proc/${name}/cwd`).startsWith(`${dataDir}/postgres-`)
        } catch {
          return false
        }
      })
      .map(Number)
  }
  async function gone(): Promise<void> {
    while (workers().length > 0) await delay(20)
  }
  async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  const rounds = times(3, 10)
  test(`ends with a server that is killed ${rounds} times, and loses no committed data`, async () => {
    await query(await start(), 'CREATE TABLE kept (n int)')
    for (let round = 1; round <= rounds; round += 1) {
      await end('SIGKILL')
      if (round % 2 === 0) await gone()
      const url = await start()
      await query(url, `INSERT INTO kept VALUES (${round})`)
      expect(await query(url, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: round }])
    }
    await end('SIGKILL')
    await gone()
  })

  test('is initialized again after an interrupted initialization', async () => {
    const killed = spawnHolder()
    const exit = once(killed, 'exit')
    while (!existsSync(dataDir) || !readdirSync(dataDir).some((name) => name.includes('.unfinished-')))
      await delay(5)
    await delay(150)
    killed.kill('SIGKILL')
    await exit
    expect(await query(await start(), 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('starts although the pid in a stale pid file belongs to another living process', async () => {
    await start()
    await end('SIGKILL')
    await gone()
    const [cluster = ''] = readdirSync(dataDir).filter((name) => /^postgres-\d+$/.test(name))
    writeFileSync(join(dataDir, cluster, 'postmaster.pid'), `${process.pid}\n${join(dataDir, cluster)}\n`)
    expect(await query(await start(), 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test.runIf(process.platform === 'linux')(
    'starts beside a shell in its directory and leaves it alone',
    async () => {
      await start()
      await end('SIGKILL')
      await gone()
      const [cluster = ''] = readdirSync(dataDir).filter((name) => /^postgres-\d+$/.test(name))
      const shell = spawn('sleep', ['600'], { cwd: join(dataDir, cluster), stdio: 'ignore' })
      try {
        expect(await query(await start(), 'SELECT 1 AS one')).toEqual([{ one: 1 }])
        expect([shell.exitCode, shell.signalCode]).toEqual([null, null])
      } finally {
        shell.kill()
      }
    },
  )

  test('that is killed itself restarts at the same address', async () => {
    const url = await start()
    await query(url, 'CREATE TABLE kept (n int)')
    const [cluster = ''] = readdirSync(dataDir).filter((name) => /^postgres-\d+$/.test(name))
    process.kill(
      Number.parseInt(readFileSync(join(dataDir, cluster, 'postmaster.pid'), 'utf8'), 10),
      'SIGKILL',
    )
    while (!output.includes('内置数据库已恢复')) await delay(20)
    expect(await query(url, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 0 }])
  })

  test('refuses a second server on the same directory, naming the first', async () => {
    const url = await start()
    const first = child as ChildProcess
    await expect(start()).rejects.toThrow(`PID ${first.pid}`)
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    const exit = once(first, 'exit')
    first.disconnect()
    await exit
    expect(await query(await start(), 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('works in a directory whose path is longer than a socket’s may be', async () => {
    dataDir = join(parent, 'a-rather-long-name-'.repeat(6), '数据 目录')
    mkdirSync(dataDir, { recursive: true })
    expect(await query(await start(), 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('does not start empty beside data of another major version', async () => {
    mkdirSync(join(dataDir, 'postgres-17'), { recursive: true })
    await expect(start()).rejects.toThrow('属于另一个 PostgreSQL 大版本')
  })

  /** Simulates a machine where these commands are forbidden: containers forbid namespaces, macOS has neither. */
  function forbid(...commands: string[]): void {
    const directory = join(parent, 'forbidden')
    mkdirSync(directory)
    for (const name of commands) writeFileSync(join(directory, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    commandPath = `${directory}:${process.env.PATH}`
  }

  const isRoot = process.getuid?.() === 0
  /** Not in a checkout under /root, where only the first two ways work. */
  const isOpenToAll =
    isRoot && spawnSync('test', ['-r', holder], { uid: unprivilegedId, gid: unprivilegedId }).status === 0

  async function survivesWithout(...commands: string[]): Promise<void> {
    forbid(...commands)
    await query(await start(), 'CREATE TABLE kept (n int)')
    await end('SIGKILL')
    expect(await query(await start(), 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 0 }])
    await end('SIGKILL')
    commandPath = process.env.PATH
    expect(await query(await start(), 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 0 }])
  }

  test.runIf(isRoot)('of root runs under a closed directory where namespaces are forbidden', () =>
    survivesWithout('unshare'),
  )

  test.runIf(isOpenToAll)('of root runs without util-linux where the directory is readable by all', () => {
    chmodSync(parent, 0o711)
    return survivesWithout('unshare', 'setpriv')
  })
})
