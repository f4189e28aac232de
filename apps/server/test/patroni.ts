/**
 * The database of docs/operating.md's three machines on one: Debian's etcd, Patroni and PostgreSQL with the files of that
 * page, each machine an address of its own in 127/8, so that ports and everything else stand as they are there.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import pg from 'pg'
import { until } from './drill/until.ts'
import { example } from './proxy-examples.ts'
import type { ReplicaServer, Replicated } from './replication.ts'

const env = { ...process.env, PATH: [process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter) }
const machines = ['one', 'two', 'three'] as const
const password = 'drill'
const binaries = '/usr/lib/postgresql/15/bin'
const has = (command: string) => spawnSync(command, ['--version'], { env }).status === 0

export const hasPatroni = () => has('patroni') && has('etcd') && existsSync(binaries)

export interface PatroniCluster extends Replicated {
  /** What Voltkeep's processes are given. */
  environment: NodeJS.ProcessEnv
  /** Starts what was killed again, and waits until both others follow the primary, one of them synchronously. */
  mend(): Promise<void>
  /** Kills the machine of the primary; resolves with the ms until another one says that it is the primary. */
  losePrimary(): Promise<number>
}

export async function startPatroni(directory: string): Promise<PatroniCluster> {
  const owner = ownerOfPostgres()
  chmodSync(directory, 0o755)
  // Of those in use nobody else is likely to have the same.
  const network = `127.${1 + (process.pid % 250)}.${1 + (Date.now() % 250)}`
  const children = new Map<string, ChildProcess>()
  let output = ''

  function start(name: string, command: string, args: string[], more: NodeJS.ProcessEnv = {}): void {
    const asOwner = owner ? ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'] : []
    const [first = '', ...rest] = [...asOwner, command, ...args]
    const child = spawn(first, rest, {
      env: { ...env, ...more },
      cwd: directory,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (bytes: Buffer) => {
        output = (output + bytes.toString()).slice(-10_000)
      })
    children.set(name, child)
  }
  async function end(name: string, signal: NodeJS.Signals): Promise<void> {
    const child = children.get(name)
    children.delete(name)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill(signal)
    await exit
  }

  const addressOf = (at: number) => `${network}.${at + 1}`
  const dataOf = (name: string) => join(directory, name, 'postgres')
  const ours = (text: string, at: number, name: string) =>
    text
      .replaceAll('10.0.0.0/24', '127.0.0.0/8')
      .replace(/(name: |ETCD_NAME=)one/, `$1${name}`)
      // What is of this machine alone; the lists of all three keep their addresses.
      .replaceAll(/^(?!.*(?:hosts:|INITIAL_CLUSTER=)).*10\.0\.0\.1.*$/gm, (line) =>
        line.replaceAll('10.0.0.1', `10.0.0.${at + 1}`),
      )
      .replaceAll('10.0.0.', `${network}.`)

  const startPatroniOf = (at: number, name: string) => {
    const path = join(directory, name, 'patroni.yml')
    const text = ours(example('yaml', 'scope: voltkeep'), at, name)
      .replaceAll('password: …', `password: ${password}`)
      .replace('/var/lib/postgresql/15/voltkeep', dataOf(name))
      // One machine has three of them, which would share a socket and the memory.
      .replace(
        /^postgresql:\n/m,
        `postgresql:\n  parameters:\n    unix_socket_directories: ''\n    shared_buffers: 32MB\n  pgpass: ${join(directory, name, 'pgpass')}\n`,
      )
    writeFileSync(path, text)
    start(`patroni-${name}`, 'patroni', [path])
  }
  const startEtcd = (at: number, name: string) => {
    const text = ours(example('sh', 'ETCD_NAME=one'), at, name)
    const settings = Object.fromEntries(
      [...text.matchAll(/^(ETCD_\w+)=(.*)$/gm)].map(([, key, value = '']) => [
        key,
        value.replace(/^"|"$/g, ''),
      ]),
    )
    start(`etcd-${name}`, 'etcd', [], { ...settings, ETCD_DATA_DIR: join(directory, name, 'etcd') })
  }

  const ask = async <Row extends pg.QueryResultRow>(
    at: number,
    text: string,
    values: unknown[] = [],
    database = 'voltkeep',
  ) => {
    const client = new pg.Client({
      connectionString: `postgresql://postgres:${password}@${addressOf(at)}:5432/${database}`,
    })
    await client.connect()
    try {
      return (await client.query<Row>(text, values)).rows
    } finally {
      await client.end()
    }
  }
  const isPrimary = async (at: number) => {
    const answer = await fetch(`http://${addressOf(at)}:8008/primary`).catch(() => undefined)
    return answer?.status === 200
  }
  const findPrimary = async () => {
    for (const at of machines.keys()) if (await isPrimary(at)) return at
    throw new Error(`there is no primary:\n${output}`)
  }
  const kill = async (at: number) => {
    const name = machines[at] as string
    await end(`patroni-${name}`, 'SIGKILL')
    const pidFile = join(dataOf(name), 'postmaster.pid')
    const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8').split('\n')[0]) : 0
    if (pid > 0 && existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL')
  }
  // Both, since one disturbance is one machine: where the third one has not come back yet, nobody can be a standby of who
  // is promoted, and a member that Patroni starts while there is no primary waits without knowing whom to follow.
  const waitForStandbys = async () => {
    await patiently(async () => {
      const at = await findPrimary()
      const rows = await ask<{ streaming: number; synchronous: number }>(
        at,
        `SELECT count(*)::int AS streaming, count(*) FILTER (WHERE sync_state = 'sync')::int AS synchronous
        FROM pg_stat_replication WHERE state = 'streaming'`,
        [],
        'postgres',
      )
      if (rows[0]?.streaming !== machines.length - 1 || rows[0].synchronous !== 1)
        throw new Error(`no two standbys yet, ${JSON.stringify(rows[0])}:\n${output}`)
    })
  }
  const serverOf = (at: number): ReplicaServer => ({
    port: 5432,
    url: `postgresql://postgres:${password}@${addressOf(at)}:5432/voltkeep`,
    ask: (text, values) => ask(at, text, values),
    promote: () => Promise.reject(new Error('Patroni promotes')),
    start: async () => startPatroniOf(at, machines[at] as string),
    kill: () => kill(at),
    holdReceiver: () => Promise.reject(new Error('Patroni would start it anew')),
  })

  async function remove(): Promise<void> {
    for (const at of machines.keys()) await kill(at)
    for (const name of machines) await end(`etcd-${name}`, 'SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  }

  try {
    for (const [at, name] of machines.entries()) {
      mkdirSync(join(directory, name), { recursive: true })
      if (owner) chownSync(join(directory, name), owner.uid, owner.gid)
      startEtcd(at, name)
    }
    for (const [at, name] of machines.entries()) startPatroniOf(at, name)
    await waitForStandbys()
    const at = await findPrimary()
    for (const text of [
      `CREATE ROLE voltkeep LOGIN PASSWORD '${password}'`,
      `CREATE ROLE voltkeep_server LOGIN PASSWORD '${password}'`,
      `CREATE DATABASE voltkeep OWNER voltkeep ENCODING 'UTF8' TEMPLATE template0`,
    ])
      await ask(at, text, [], 'postgres')
    const settings = ours(
      example('sh', 'DATABASE_OWNER_URL=postgresql://voltkeep:PASSWORD@10.0.0.1'),
      0,
      'one',
    )
    const urlOf = (name: string) =>
      new RegExp(`^${name}=(.*)$`, 'm').exec(settings)?.[1]?.replace('PASSWORD', password) ?? ''
    return {
      get primary() {
        return serverOf(0)
      },
      get standby() {
        return serverOf(1)
      },
      url: urlOf('DATABASE_OWNER_URL'),
      environment: {
        DATABASE_URL: urlOf('DATABASE_URL'),
        DATABASE_OWNER_URL: urlOf('DATABASE_OWNER_URL'),
      },
      async mend() {
        for (const [place, name] of machines.entries())
          if (!children.has(`patroni-${name}`)) startPatroniOf(place, name)
        await waitForStandbys()
      },
      async losePrimary() {
        const lost = await findPrimary()
        const beganMs = performance.now()
        await kill(lost)
        await patiently(async () => {
          if ((await findPrimary()) === lost) throw new Error('it is not known to be lost yet')
        })
        return Math.round(performance.now() - beganMs)
      },
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Patroni waits for a lease of 30 seconds to end, and initdb takes its time on a loaded machine. */
async function patiently<Value>(check: () => Promise<Value>): Promise<Value> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await until(check)
    } catch (error) {
      if (turn === 4) throw error
    }
  }
}

/** PostgreSQL refuses to be root. */
function ownerOfPostgres(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? []
  return { uid: Number(uid), gid: Number(gid) }
}
