// What a drill does to its world, one thing a round.
import { setTimeout as delay } from 'node:timers/promises'
import { listDevices, readHealth } from '@voltkeep/contract'
import type { ServerProcess } from '../server-process.ts'
import type { Releases } from './releases.ts'
import { until } from './until.ts'
import { type DrillWorld, whoAnswers } from './world.ts'

export interface DisturbanceOptions {
  /** For how long the fleet reports before and after. */
  calmMs: number
  /** For how long a process is stopped. */
  stoppedMs: number
  /** For how long there is no primary: whoever watches them takes a while to notice. */
  awayMs: number
  /** For how long two releases stand side by side. */
  besideMs?: number
  /** The two releases of `releases`; the world began with the former. */
  releases?: Releases | undefined
}

type Disturbance = (world: DrillWorld, options: DisturbanceOptions) => Promise<void>

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

  /** Nothing but a clock that is five minutes ahead, which the world was made with. */
  async clock(_world, { calmMs }) {
    await delay(calmMs)
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
export async function mend({ nodes }: DrillWorld, name: DisturbanceName): Promise<void> {
  if (name !== 'node') return
  await nodes[1].start()
  await until(async () => {
    const answer = await fetch(`${nodes[1].url}/api/ready`)
    if (!answer.ok) throw new Error('not ready yet')
  })
}

/** Five minutes ahead, by libfaketime where it is installed. */
export const clockAhead = (library: string): NodeJS.ProcessEnv => ({
  LD_PRELOAD: library,
  FAKETIME: '+300s',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  DONT_FAKE_MONOTONIC: '1',
})
