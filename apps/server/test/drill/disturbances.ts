// What a drill does to its world, one thing a round.
import { globSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import {
  actOnDevice,
  insertParameterBatch,
  listDevices,
  readHealth,
  readParameterBatch,
  remoteActionSeconds,
} from '@voltkeep/contract'
import type { PatroniCluster } from '../patroni.ts'
import type { ServerProcess } from '../server-process.ts'
import type { Releases } from './releases.ts'
import { until } from './until.ts'
import { type DrillWorld, drillParameter, whoAnswers } from './world.ts'

export interface DisturbanceOptions {
  /** For how long the fleet reports before and after. */
  calmMs: number
  /** For how long a process is stopped. */
  stoppedMs: number
  /** For how long there is no primary: whoever watches them takes a while to notice. */
  awayMs: number
  /** For how long two releases stand side by side. */
  besideMs?: number
  /** The database of `patroni`, which the world has. */
  cluster?: PatroniCluster | undefined
  /** The two releases of `releases`; the world began with the former. */
  releases?: Releases | undefined
}

type Disturbance = (world: DrillWorld, options: DisturbanceOptions) => Promise<void>

const devicesOfBatch = 20

const waitingText = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name LIKE 'voltkeep%'`

export const disturbances = {
  /** kill -9 of one of the processes, at a random moment. It is started again later, by `mend`. */
  async node({ nodes }, { calmMs }) {
    await delay(calmMs * Math.random())
    await nodes[1].kill()
  },

  /** kill -9 of the primary; the standby is promoted, as whoever watches them would do. */
  async primary({ servers }, { calmMs, awayMs }) {
    await delay(calmMs * Math.random())
    await servers.primary.kill()
    await delay(awayMs)
    await servers.standby.promote()
    await delay(calmMs)
  },

  /**
   * The standby is cut off and every wait for it cancelled; then the primary is lost. What was acknowledged has to be at
   * the standby.
   */
  async standby({ servers }, { calmMs, awayMs }) {
    await delay(calmMs * Math.random())
    const goOn = await servers.standby.holdReceiver()
    const endMs = performance.now() + calmMs
    let cancelled = 0
    while (performance.now() < endMs || cancelled === 0) {
      const waiting = await servers.primary.ask<{ pid: number }>(waitingText)
      for (const { pid } of waiting) {
        await servers.primary.ask('SELECT pg_cancel_backend($1)', [pid])
        cancelled += 1
      }
    }
    await servers.primary.kill()
    await delay(awayMs)
    goOn()
    await servers.standby.promote()
    await delay(calmMs)
  },

  /** A process stands still and goes on, while the other one has taken its devices. */
  async stopped({ nodes, fleet }, { calmMs, stoppedMs }) {
    await delay(calmMs * Math.random())
    const [, { pid }] = nodes
    process.kill(pid, 'SIGSTOP')
    try {
      await Promise.all([delay(stoppedMs), fleet.whenOnline()])
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await delay(calmMs)
  },

  /**
   * The processes are replaced one after the other by those of the next release, whose first start migrates; then one
   * goes back to the release before. Somebody calls the API all the while, and is answered.
   */
  async releases({ nodes }, { calmMs, besideMs = 0, releases }) {
    if (!releases) throw new Error('no releases')
    const [one, two] = nodes
    const ended = new AbortController()
    const calling = keepCalling(nodes, ended.signal)
    try {
      await delay(calmMs * Math.random())
      const { before, after } = releases
      for (const [node, installation, forMs] of [
        [two, after, besideMs],
        [one, after, calmMs],
        [two, before, besideMs],
      ] as const) {
        await node.stop()
        await node.startAs(installation)
        await whoAnswers([node])
        await delay(forMs)
      }
    } finally {
      ended.abort()
    }
    const { failures, versions } = await calling
    if (failures.length > 0) throw new Error(`calls that failed: ${failures.join('; ')}`)
    for (const version of releases.versions)
      if (!versions.has(version)) throw new Error(`nobody was answered by ${version}`)
  },

  /**
   * kill -9 of the primary and of its Patroni: the others find out, and promote the synchronous standby. Nobody else does
   * anything.
   */
  async patroni(_world, { calmMs, cluster }) {
    if (!cluster) throw new Error('no cluster')
    const afterMs = calmMs * Math.random()
    await delay(afterMs)
    const tookMs = await cluster.losePrimary()
    console.log(
      `  the primary lost after ${(afterMs / 1_000).toFixed(1)} s, another one ${(tookMs / 1_000).toFixed(1)} s later`,
    )
    await delay(calmMs)
  },

  /**
   * Nothing but clocks: the first process's is five minutes behind, the second's as much ahead, as the world was made. Each
   * is asked for an action and for a batch, and both look at each other's deadlines.
   */
  async clock({ nodes, servers, fleet }, { calmMs }) {
    await delay(calmMs * Math.random())
    const codes = fleet.devices.slice(0, devicesOfBatch).map(({ code }) => code)
    for (const [at, { client, adminPassword }] of nodes.entries()) {
      const token = await client.signIn('admin', adminPassword)
      const { data: devices } = await client.call(listDevices, { pageSize: 10, pageNum: at + 1 }, token)
      for (const { id } of devices) {
        const acted = await client.call(actOnDevice, { id, action: 'reportStatus', reason: '演练' }, token)
        if (acted.code !== 200) throw new Error(acted.message)
      }
      const made = await client.call(
        insertParameterBatch,
        {
          paramSetRule: { upgradeCount: 3, interval: 3 },
          entitys: [{ id: drillParameter, value: 90 + at }],
          queryParam: { codes },
        },
        token,
      )
      if (made.code !== 200) throw new Error(made.message)
      await until(async () => {
        const { data } = await client.call(readParameterBatch, { id: made.data.id }, token)
        if (data.counts.succeeded !== codes.length)
          throw new Error(`batch ${at + 1}: ${JSON.stringify(data)}`)
      })
    }
    await delay(calmMs)
    const wrong = await servers.primary.ask<{ what: string; seconds: number }>(`
      SELECT 'action' AS what, extract(epoch FROM deadline - created_at)::float8 AS seconds FROM device_command
      WHERE topic = 'action' AND abs(extract(epoch FROM deadline - created_at) - ${remoteActionSeconds}) > 5
      UNION ALL
      SELECT 'command made ' || id, extract(epoch FROM created_at)::float8 - moment FROM device_command
      CROSS JOIN LATERAL (
        SELECT (('x' || replace(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000.0)::float8 AS moment
      ) AS m
      WHERE topic = 'action' AND abs(extract(epoch FROM created_at) - moment) > 5
      UNION ALL
      SELECT 'batch', extract(epoch FROM ends_at - created_at)::float8 FROM parameter_batch
      WHERE abs(extract(epoch FROM ends_at - created_at - interval '3 days')) > 5`)
    if (wrong.length > 0) throw new Error(`times by the machine's clock: ${JSON.stringify(wrong)}`)
  },
} as const satisfies Record<string, Disturbance>

export type DisturbanceName = keyof typeof disturbances

/** Whether the world is of no use for another round. */
export const usesUp = (name: DisturbanceName) =>
  name === 'primary' || name === 'standby' || name === 'releases'

const callPauseMs = 100
const callPatienceMs = 20_000

/**
 * Calls as a browser behind a balancer does: where a process refuses the connection, or says that it stops (503), the
 * other one is asked. What is answered otherwise, or by nobody for long, is a failure.
 */
async function keepCalling(nodes: readonly ServerProcess[], signal: AbortSignal) {
  const [first] = nodes as [ServerProcess]
  const token = await (await whoAnswers(nodes)).client.signIn('admin', first.adminPassword)
  const failures: string[] = []
  const versions = new Set<string>()
  let answeredMs = performance.now()
  for (let turn = 0; !signal.aborted; turn += 1) {
    const node = nodes[turn % nodes.length] as ServerProcess
    try {
      const health = await node.client.call(readHealth, {})
      const { status, code, message } = await node.client.call(listDevices, { pageSize: 5 }, token)
      if (status === 200) {
        versions.add(health.data.version)
        answeredMs = performance.now()
      } else if (status !== 503) failures.push(`${code} ${message}`)
    } catch {
      // It is being replaced.
    }
    if (performance.now() - answeredMs > callPatienceMs) {
      failures.push(`nobody has answered for ${callPatienceMs / 1_000} s`)
      answeredMs = performance.now()
    }
    await delay(callPauseMs)
  }
  return { failures, versions }
}

/** Puts right what the next round needs. */
export async function mend(
  { nodes }: DrillWorld,
  name: DisturbanceName,
  { cluster }: Pick<DisturbanceOptions, 'cluster'> = {},
): Promise<void> {
  await cluster?.mend()
  if (name !== 'node') return
  await nodes[1].start()
  await until(async () => {
    const answer = await fetch(`${nodes[1].url}/api/ready`)
    if (!answer.ok) throw new Error('not ready yet')
  })
}

const offByS = 300

/** The settings of processes whose clocks are off, by libfaketime; undefined where it is not installed. */
export function clocksOff(): { first: NodeJS.ProcessEnv; second: NodeJS.ProcessEnv } | undefined {
  const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1')
  if (library === undefined) return undefined
  const offBy = (seconds: string): NodeJS.ProcessEnv => ({
    LD_PRELOAD: library,
    FAKETIME: seconds,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  })
  return { first: offBy(`-${offByS}s`), second: offBy(`+${offByS}s`) }
}
