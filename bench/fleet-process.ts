import { readFileSync } from 'node:fs'
import { Fleet } from '@voltkeep/simulator/fleet'
import { parseBrokerAddress } from '@voltkeep/simulator/link'
import { createRandom } from '@voltkeep/simulator/random'

/** The devices of connections.ts and commands.ts, in a process of their own so that both sides get a core. */
export type FleetOrder =
  | { kind: 'connect'; mqtt: string; secretsPath: string; connectsPerSecond: number; hasScreens?: boolean }
  /** Answer when all devices are online. */
  | { kind: 'whenOnline' }
  | { kind: 'whenOffline' }
  | { kind: 'memory' }
export type FleetAnswer = { atMs: number; onlineCount: number; rssBytes: number; cpuMs: number }

let fleet: Fleet | undefined

process.on('disconnect', () => process.exit(0))
process.on('message', async (order: FleetOrder) => {
  switch (order.kind) {
    case 'connect':
      fleet = new Fleet(JSON.parse(readFileSync(order.secretsPath, 'utf8')), {
        broker: parseBrokerAddress(order.mqtt),
        random: createRandom(1),
        connectsPerSecond: order.connectsPerSecond,
        // With a screen they obey commands about advertisements; no other thing differs.
        commandsOf: () => ({ hasScreen: order.hasScreens === true }),
      })
      void fleet.start()
      await fleet.whenOnline()
      break
    case 'whenOnline':
      await fleet?.whenOnline()
      break
    case 'whenOffline':
      await fleet?.whenOffline()
      break
    case 'memory':
  }
  const answer: FleetAnswer = {
    atMs: Date.now(),
    onlineCount: fleet?.onlineCount ?? 0,
    rssBytes: process.memoryUsage.rss(),
    cpuMs: (process.cpuUsage().user + process.cpuUsage().system) / 1000,
  }
  process.send?.(answer)
})
