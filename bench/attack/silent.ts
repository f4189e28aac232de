import { setTimeout as delay } from 'node:timers/promises'
import { quantile, startDevices } from './devices.ts'
import type { AttackPart } from './part.ts'

const processes = 2
const perProcess = 9_500
const honest = 20
/** How long a device may keep trying. */
const waitMs = 60_000

/** Connections to the MQTT port that never send anything, and are opened again when they are closed. */
export const silent: AttackPart = {
  name: 'silent',
  about: `${processes * perProcess} connections to the MQTT port that say nothing and come again`,
  server: { demoDevices: honest },
  async attack(ground) {
    const { server, options } = ground
    const port = server.mqttPort
    const good = startDevices()
    const bad = Array.from({ length: processes }, startDevices)
    try {
      const before = await ground.measure('before', { forMs: 5_000 })
      for (const one of bad) one.order({ kind: 'silent', port, count: perProcess })
      const during = await ground.measure('during', { forMs: (Number(options.seconds) * 1_000) / 2 })
      const beganMs = performance.now()
      good.order({ kind: 'honest', port, devices: server.devices() })
      const then = await ground.measure('and devices', { forMs: (Number(options.seconds) * 1_000) / 2 })
      // At the limit of connections before sign-in, a new device at the attackers' address is sometimes refused, and
      // retries.
      let { latenciesMs, signedIn, lost } = await good.look()
      while (signedIn < honest && performance.now() - beganMs < waitMs) {
        await delay(500)
        const later = await good.look()
        signedIn = later.signedIn
        lost += later.lost
      }
      const ended = (await Promise.all(bad.map((one) => one.look()))).map((figures) => figures.ended)
      console.log(
        `    ${ended.join(' + ')} ended by the server; PUBACK p99 ${quantile(latenciesMs, 0.99).toFixed(1)} ms of ${latenciesMs.length}`,
      )
      console.log(
        `    ${signedIn} of ${honest} devices signed in within ${Math.round((performance.now() - beganMs) / 1_000)} s`,
      )
      ground.atMost("neighbour's calls that failed", during.failed + then.failed, 0)
      ground.atMost('descriptors in use', Math.max(during.descriptors, then.descriptors), 4_500)
      ground.atMost('honest devices that lost their connection', lost, 0)
      ground.atMost('honest devices that are not signed in', honest - signedIn, 0)
      good.order({ kind: 'stop' })
      for (const one of bad) one.order({ kind: 'stop' })
      // Allows for new connections of the neighbour and to the database.
      await ground.returnsTo(before, { moreDescriptors: 60 })
    } finally {
      good.end()
      for (const one of bad) one.end()
    }
  },
}
