import { setTimeout as delay } from 'node:timers/promises'
import { cpuMs } from '../process-cpu.ts'
import { quantile, startDevices } from './devices.ts'
import type { AttackPart } from './part.ts'

const rogues = 10
const honest = 200
const roundMs = 8_000
const leastRounds = 12
const mostRatio = 1.5
/** Below this a ratio means nothing. */
const quietMs = 20
/** Time for connections to end, and for their messages to be written. */
const writtenAfterMs = 1_000
const openingMs = 2_000

interface Turn {
  p95Ms: number
  ackMs: number
}

/**
 * Ten devices that send as fast as they can, next to two hundred honest ones. Rounds with and without them alternate
 * and their medians are compared, so that other load of the machine affects both.
 */
export const rogue: AttackPart = {
  name: 'rogue',
  about: `${rogues} devices that flood (no JSON, events, invented codes) beside ${honest} honest ones`,
  server: { demoDevices: honest + rogues },
  async attack(ground) {
    const { server, options } = ground
    const port = server.mqttPort
    const devices = server.devices()
    const good = startDevices()
    const bad = startDevices()
    // In reality, rogue devices are other machines: they must take no CPU from the server.
    bad.yieldProcessor()
    try {
      good.order({ kind: 'honest', port, devices: devices.slice(rogues) })
      bad.order({ kind: 'prepare', devices: devices.slice(0, rogues) })
      const first = await ground.measure('warming up', { forMs: 5_000 })
      const rounds = Math.max(leastRounds, Math.round((Number(options.seconds) * 1_000) / roundMs))
      let sentBytes = 0
      let ended = 0
      const turn = async (which: string): Promise<Turn> => {
        await good.look()
        const before = cpuMs(server.pid)
        const { p95Ms } = await ground.measure(which, { forMs: roundMs / 2 })
        const after = cpuMs(server.pid)
        const { latenciesMs, open } = await good.look()
        const ackMs = quantile(latenciesMs, 0.99)
        const perSecond = (ms: number) => `${((ms / roundMs) * 2_000).toFixed(0)} ms/s`
        console.log(
          `    honest PUBACK p99 ${ackMs.toFixed(1)} ms of ${latenciesMs.length}, ${open} connected;` +
            ` CPU: server ${perSecond(after.server - before.server)}, database ${perSecond(after.database - before.database)}`,
        )
        return { p95Ms, ackMs }
      }
      const withs: Turn[] = []
      const withouts: Turn[] = []
      for (let n = 0; n < rounds; n += 1) {
        withouts.push(await turn('without'))
        bad.order({ kind: 'rogue', port, devices: devices.slice(0, rogues) })
        // The initial bursts of the ten devices are printed, but not part of a lasting attack.
        await delay(openingMs)
        const opening = await good.look()
        console.log(`    opening: honest PUBACK p99 ${quantile(opening.latenciesMs, 0.99).toFixed(1)} ms`)
        withs.push(await turn('with'))
        const figures = await bad.look()
        sentBytes += figures.sentBytes
        ended += figures.ended
        bad.order({ kind: 'stop' })
        await delay(writtenAfterMs)
      }
      console.log(
        `    rogue: ${(sentBytes / 1_000_000).toFixed(1)} MB given to their sockets, ${ended} times cut off`,
      )
      const median = (turns: Turn[], of: (turn: Turn) => number) =>
        Math.max(quantile(turns.map(of), 0.5), quietMs)
      const ratio = (of: (turn: Turn) => number) => median(withs, of) / median(withouts, of)
      console.log(
        `    median PUBACK p99 ${median(withouts, ({ ackMs }) => ackMs).toFixed(1)} ms without, ${median(withs, ({ ackMs }) => ackMs).toFixed(1)} ms with`,
      )
      ground.atMost(
        'PUBACK p99 of the honest, against without',
        ratio(({ ackMs }) => ackMs),
        mostRatio,
      )
      ground.atMost(
        "neighbour's p95 against without",
        ratio(({ p95Ms }) => p95Ms),
        mostRatio,
      )
      await ground.returnsTo(first)
    } finally {
      good.end()
      bad.end()
    }
  },
}
