import { setTimeout as delay } from 'node:timers/promises'
import { quantile, startDevices } from './devices.ts'
import type { AttackPart, Figures } from './part.ts'

const rogues = 10
const honest = 200
const turns = 3
const mostRatio = 1.5
/** Below this a ratio says nothing. */
const quietMs = 20

/** Ten devices that send all they can, beside two hundred that do what they should, by turns without and with. */
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
    try {
      good.order({ kind: 'honest', port, devices: devices.slice(rogues) })
      const first = await ground.measure('warming up', { forMs: 5_000 })
      const forMs = (Number(options.seconds) * 1_000) / turns
      const p95s: { without: number[]; with: number[] } = { without: [], with: [] }
      const acks: { without: number[]; with: number[] } = { without: [], with: [] }
      let sentBytes = 0
      let ended = 0
      const turn = async (which: 'without' | 'with'): Promise<Figures> => {
        await good.look()
        const figures = await ground.measure(which, { forMs })
        const { latenciesMs, open } = await good.look()
        p95s[which].push(figures.p95Ms)
        acks[which].push(quantile(latenciesMs, 0.99))
        console.log(
          `    honest PUBACK p99 ${quantile(latenciesMs, 0.99).toFixed(1)} ms of ${latenciesMs.length}, ${open} connected`,
        )
        return figures
      }
      for (let n = 0; n < turns; n += 1) {
        await turn('without')
        bad.order({ kind: 'rogue', port, devices: devices.slice(0, rogues) })
        await delay(2_000)
        await turn('with')
        const figures = await bad.look()
        sentBytes += figures.sentBytes
        ended += figures.ended
        bad.order({ kind: 'stop' })
        await delay(2_000)
      }
      console.log(
        `    rogue: ${(sentBytes / 1_000_000).toFixed(1)} MB given to their sockets, ${ended} times cut off`,
      )
      const ratio = (list: typeof acks) =>
        Math.max(quantile(list.with, 0.5), quietMs) / Math.max(quantile(list.without, 0.5), quietMs)
      ground.atMost('PUBACK p99 of the honest, against without', ratio(acks), mostRatio)
      ground.atMost("neighbour's p95 against without", ratio(p95s), mostRatio)
      await ground.returnsTo(first)
    } finally {
      good.end()
      bad.end()
    }
  },
}
