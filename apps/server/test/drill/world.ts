/**
 * Two processes with the embedded broker behind HAProxy as docs/operating.md has it, on a PostgreSQL with a synchronous
 * standby, and a fleet that reports and executes commands. Two lists are kept that do not know each other: what the fleet was
 * acknowledged, and what the tables hold.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Fleet } from '@voltkeep/simulator/fleet'
import { openDatabase } from '../../src/platform/database/database.ts'
import { CommandLedger } from '../command-ledger.ts'
import { connectFleet } from '../fleets.ts'
import { differences, Ledger } from '../ledger.ts'
import type { PatroniCluster } from '../patroni.ts'
import { example, freePort, isOpen } from '../proxy-examples.ts'
import { type Replicated, startReplicated } from '../replication.ts'
import { type ServerProcess, startServerProcess } from '../server-process.ts'
import { until } from './until.ts'

const env = { ...process.env, PATH: [process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter) }
export const hasHaproxy = spawnSync('haproxy', ['-v'], { env }).status === 0

export interface DrillOptions {
  devices: number
  /** Messages a second of the whole fleet. */
  rate: number
  /** Further settings of the first and of the second process. */
  first?: NodeJS.ProcessEnv
  second?: NodeJS.ProcessEnv
  /** Further settings of both. */
  both?: NodeJS.ProcessEnv
  /** In place of two servers that the drill promotes itself; removed with the world. */
  cluster?: PatroniCluster | undefined
  /** Another checkout that both begin with. */
  installation?: string | undefined
}

export interface DrillWorld {
  servers: Replicated
  nodes: readonly [ServerProcess, ServerProcess]
  fleet: Fleet
  /**
   * Does this while the fleet reports and commands are sent; then waits until all devices are back and have sent what they
   * had.
   */
  during(disturb: () => Promise<void>): Promise<DrillResult>
  remove(): Promise<void>
}

export interface DrillResult {
  acknowledged: number
  commands: number
  /** From the end of the disturbance until the last device was connected. */
  backMs: number
  /** What one list has and the other has not, or twice; a line each. */
  differences: string[]
  /** How often a device was said to be offline, and how many seconds after the beginning. */
  offline: number
  offlineAfter: number[]
  /** Devices that another process has than before their last connection. */
  moved: number
}

/** Devices report it, and batches set it. */
export const drillParameter = '02121005'
const reportsOfPlay = 3
const commandPauseMs = 250
const commandsAtOnce = 5

export async function createDrill({
  devices,
  rate,
  first: firstOnly = {},
  second = {},
  both = {},
  cluster,
  installation,
}: DrillOptions): Promise<DrillWorld> {
  const ends: (() => unknown)[] = []
  const remove = async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  }
  try {
    const directory = mkdtempSync(join(tmpdir(), 'voltkeep-drill-'))
    const servers: Replicated = cluster ?? (await startReplicated(join(directory)))
    ends.push(() => servers.remove())
    const environment = {
      LOG_LEVEL: 'warn',
      DATABASE_URL: servers.url,
      SEAL_KEY: randomBytes(32).toString('base64'),
      DEVICE_MESSAGES_PER_SECOND: '0',
      DEVICE_BYTES_PER_SECOND: '0',
      MQTT_PROXY_PROTOCOL: 'true',
      TRUSTED_PROXIES: '127.0.0.1',
      DB_POOL_SIZE: '12',
      ...both,
      ...cluster?.environment,
    }
    const first = await startServerProcess({
      installation,
      demoDevices: devices,
      environment: { ...environment, NODE_NAME: 'one', ...firstOnly },
    })
    ends.push(() => first.remove())
    const other = await startServerProcess({
      installation,
      environment: { ...environment, NODE_NAME: 'two', ...second },
    })
    ends.push(() => other.remove())
    const balancer = await startBalancer(directory, [first, other])
    ends.push(() => balancer.stop())
    const ledger = new Ledger()
    const commands = new CommandLedger()
    const fleet = await connectFleet(first.devices(), balancer.port, {
      onAcknowledged: ledger.record,
      reconnectMs: [500, 4_000],
      connectsPerSecond: 200,
      commandsOf: ({ code }) => ({ hasScreen: true, trouble: commands.counting(code) }),
      parametersOf: () => [{ id: drillParameter, value: 80 }],
    })
    ends.push(() => fleet.cutPower())

    async function sendCommands(signal: AbortSignal): Promise<void> {
      let database: Awaited<ReturnType<typeof openDatabase>> | undefined
      while (!signal.aborted) {
        try {
          database ??= await openDatabase({ url: servers.url, zone: 'UTC', poolSize: 2 })
          const { rows } = await database.pool.query<{ id: number; code: string }>(
            'SELECT id, code FROM device ORDER BY random() LIMIT $1',
            [commandsAtOnce],
          )
          await commands.send(database, rows)
        } catch {
          // Whether the last transaction was committed is unknown while the database fails over.
        }
        await delay(commandPauseMs)
      }
      await database?.close()
    }

    return {
      servers,
      nodes: [first, other],
      fleet,
      async during(disturb) {
        const before = ledger.opened.length + ledger.recovered.length + ledger.events.length
        const promised = commands.promised.size
        const began = new Date()
        const playing = new AbortController()
        const storm = ledger.storm(fleet.devices, playing.signal, (devices * reportsOfPlay * 1_000) / rate)
        const sending = sendCommands(playing.signal)
        let endedMs = 0
        try {
          await disturb()
          endedMs = performance.now()
          await fleet.whenOnline()
        } finally {
          playing.abort()
        }
        const backMs = performance.now() - endedMs
        await storm
        await sending
        await fleet.whenOnline()
        await fleet.whenDrained()
        const answering = await whoAnswers([first, other])
        const token = await answering.client.signIn('admin', first.adminPassword)
        const found = [
          ...(await differences(ledger, answering.client, token)),
          ...(await commands.differences(servers.url)),
        ]
        const database = await openDatabase({ url: servers.url, zone: 'UTC', poolSize: 1 })
        const { rows } = await database.pool.query<{
          offline: number
          moved: number
          offlineAfter: number[] | null
        }>(
          `SELECT (SELECT count(*)::int FROM device_connection WHERE NOT is_online) AS offline,
            (SELECT array_agg(DISTINCT round(extract(epoch FROM at - $1::timestamptz))::int)
              FROM device_connection WHERE NOT is_online) AS "offlineAfter",
            (SELECT count(*)::int FROM device_state WHERE taken_from IS NOT NULL) AS moved`,
          [began],
        )
        await database.close()
        return {
          acknowledged: ledger.opened.length + ledger.recovered.length + ledger.events.length - before,
          commands: commands.promised.size - promised,
          backMs: Math.round(backMs),
          differences: found,
          offline: rows[0]?.offline ?? 0,
          offlineAfter: rows[0]?.offlineAfter ?? [],
          moved: rows[0]?.moved ?? 0,
        }
      },
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** A process that is ready, once there is one. */
export async function whoAnswers(nodes: readonly ServerProcess[]): Promise<ServerProcess> {
  return await until(async () => {
    for (const node of nodes) {
      const answer = await fetch(`${node.url}/api/ready`).catch(() => undefined)
      if (answer?.ok) return node
    }
    throw new Error('no process is ready')
  })
}

/** The example of docs/operating.md, with two machines and the ports of these. */
export async function startBalancer(
  directory: string,
  nodes: readonly ServerProcess[],
  mqttPortOf = (node: ServerProcess) => node.mqttPort,
) {
  const port = await freePort()
  const path = join(directory, `haproxy-${port}.cfg`)
  const text = example('haproxy', 'voltkeep-devices')
    .replace('bind :1883', `bind 127.0.0.1:${port}`)
    .replaceAll(/^ {2}server (\w+) .*\n/gm, (_line, name: string) => {
      const node = nodes[['one', 'two'].indexOf(name)]
      if (!node) return ''
      return `  server ${name} 127.0.0.1:${mqttPortOf(node)} send-proxy-v2 check-send-proxy port ${node.httpPort} addr 127.0.0.1\n`
    })
    .replaceAll('check-send-proxy ', '')
  writeFileSync(path, text)
  let output = ''
  const haproxy: ChildProcess = spawn('haproxy', ['-db', '-f', path], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  haproxy.stderr?.on('data', (bytes: Buffer) => {
    output = (output + bytes.toString()).slice(-5_000)
  })
  await until(async () => {
    if (!(await isOpen(port))) throw new Error(`HAProxy does not listen: ${output}`)
  })
  return {
    port,
    async stop() {
      if (haproxy.exitCode !== null) return
      haproxy.kill('SIGTERM')
      await once(haproxy, 'exit')
      rmSync(path, { force: true })
    },
  }
}
