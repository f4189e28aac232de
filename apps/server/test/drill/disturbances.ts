// What a drill does to its world, one thing a round.
import { setTimeout as delay } from 'node:timers/promises'
import { until } from './until.ts'
import type { DrillWorld } from './world.ts'

export interface DisturbanceOptions {
  /** For how long the fleet reports before and after. */
  calmMs: number
  /** For how long a process is stopped. */
  stoppedMs: number
  /** For how long there is no primary: whoever watches them takes a while to notice. */
  awayMs: number
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

  /** Nothing but a clock that is five minutes ahead, which the world was made with. */
  async clock(_world, { calmMs }) {
    await delay(calmMs)
  },
} as const satisfies Record<string, Disturbance>

export type DisturbanceName = keyof typeof disturbances

/** Whether the world is of no use for another round. */
export const usesUp = (name: DisturbanceName) => name === 'primary' || name === 'standby'

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
