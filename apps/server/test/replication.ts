// A PostgreSQL with a synchronous standby, on ports of this machine, whose processes a test may kill or stop. Made with the
// programs of the embedded one alone, which has no pg_basebackup.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { findPostgresBinaries, invocation } from '../src/platform/database/embedded/binaries.ts'
import { giveToOwner, initializeCluster } from '../src/platform/database/embedded/cluster.ts'
import { userName } from '../src/platform/database/embedded/process.ts'
import { createLog } from '../src/platform/process/log.ts'
import { until } from './drill/until.ts'
import { freePort } from './proxy-examples.ts'

export interface ReplicaServer {
  readonly port: number
  /** Of the owner, to the database `voltkeep`. */
  readonly url: string
  /** Asks over a connection of its own. */
  ask<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  start(): Promise<void>
  /** Resolves when it accepts writes. */
  promote(): Promise<void>
  /** kill -9 of all of its processes. */
  kill(): Promise<void>
  /** Stops the process that receives from the primary, as if the line were cut; and lets it go on. */
  holdReceiver(): Promise<() => void>
}

export interface Replicated {
  primary: ReplicaServer
  standby: ReplicaServer
  /** Both hosts in one address. */
  url: string
  remove(): Promise<void>
}

const binaries = findPostgresBinaries()
const how = invocation()

/** The primary waits for its standby with every commit. */
export async function startReplicated(directory: string): Promise<Replicated> {
  const primary = await serverIn(join(directory, 'a'))
  await initializeCluster(join(directory, 'a'), binaries, how, {
    dataDir: directory,
    log: createLog({ level: 'silent' }),
    zone: 'Asia/Shanghai',
    isDurable: false,
  })
  appendFileSync(join(directory, 'a', 'pg_hba.conf'), '\nhost replication all 127.0.0.1/32 trust\n')
  await primary.start()
  await primary.ask(`CREATE DATABASE ${userName}`, [], 'postgres')
  const standby = await serverIn(join(directory, 'b'))
  await copy(primary, join(directory, 'a'), join(directory, 'b'))
  giveToOwner(join(directory, 'b'), how)
  await standby.start()
  await primary.ask(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await primary.ask('SELECT pg_reload_conf()')
  await until(async () => {
    const rows = await primary.ask('SELECT sync_state FROM pg_stat_replication')
    if (rows[0]?.sync_state !== 'sync') throw new Error('the standby is not synchronous yet')
  })
  return {
    primary,
    standby,
    url: `postgresql://${userName}@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/${userName}`,
    async remove() {
      await standby.kill()
      await primary.kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** A hot copy, as pg_basebackup makes it. */
async function copy(primary: ReplicaServer, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: primary.url })
  await client.connect()
  await client.query(`SELECT pg_backup_start('standby', true)`)
  cpSync(from, to, {
    recursive: true,
    filter: (path) => !/\/(pg_wal\/.|pg_replslot\/.|postmaster\.)/.test(path.slice(from.length)),
  })
  const { rows } = await client.query<{ label: string }>('SELECT labelfile AS label FROM pg_backup_stop()')
  await client.end()
  for (const name of ['', 'archive_status', 'summaries'])
    mkdirSync(join(to, 'pg_wal', name), { recursive: true, mode: 0o700 })
  writeFileSync(join(to, 'backup_label'), rows[0]?.label ?? '')
  writeFileSync(join(to, 'standby.signal'), '')
  appendFileSync(
    join(to, 'postgresql.auto.conf'),
    `\nprimary_conninfo = 'host=127.0.0.1 port=${primary.port} user=${userName} application_name=b'\n`,
  )
}

async function serverIn(directory: string) {
  const port = await freePort()
  const url = `postgresql://${userName}@127.0.0.1:${port}/${userName}`
  let child: ChildProcess | undefined
  let output = ''
  const ask = async <Row extends pg.QueryResultRow>(
    text: string,
    values: unknown[] = [],
    database = userName,
  ) => {
    const client = new pg.Client({ connectionString: url.replace(/[^/]*$/, database) })
    await client.connect()
    try {
      return (await client.query<Row>(text, values)).rows
    } finally {
      await client.end()
    }
  }
  return {
    port,
    url,
    ask,
    async start() {
      const [command = '', ...args] = [
        ...how.prefix,
        join(binaries.directory, 'postgres'),
        '-D',
        directory,
        ...Object.entries({
          listen_addresses: '127.0.0.1',
          port: String(port),
          unix_socket_directories: '',
          shared_buffers: '32MB',
          wal_sender_timeout: '0',
          wal_receiver_timeout: '0',
          max_connections: '200',
        }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ]
      const started = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...how.spawnAs })
      child = started
      for (const stream of [started.stdout, started.stderr])
        stream?.on('data', (bytes: Buffer) => {
          output = (output + bytes.toString()).slice(-5_000)
        })
      await until(async () => {
        if (started.exitCode !== null) throw new Error(output)
        await ask('SELECT 1', [], 'postgres')
      })
    },
    async promote() {
      // What it still replays may cancel a statement, also this one.
      await until(async () => {
        const [row] = await ask<{ isStandby: boolean }>('SELECT pg_is_in_recovery() AS "isStandby"')
        if (!row?.isStandby) return
        await ask('SELECT pg_promote(false)')
        throw new Error('it is not promoted yet')
      })
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      // Its own processes find out and end themselves.
      child.kill('SIGKILL')
      await exit
    },
    async holdReceiver() {
      const [receiver] = await ask<{ pid: number }>('SELECT pid FROM pg_stat_wal_receiver')
      const { pid } = receiver as { pid: number }
      process.kill(pid, 'SIGSTOP')
      return () => void process.kill(pid, 'SIGCONT')
    },
  }
}
