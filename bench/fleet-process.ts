import { byChance, type TroubleShares, type UpgradeTroubleName } from '@voltkeep/simulator/commands/trouble'
import type { UpgradeOptions } from '@voltkeep/simulator/commands/upgrades'
import { partsOf, type SimulatedIdentity } from '@voltkeep/simulator/firmware'
import { Fleet } from '@voltkeep/simulator/fleet'
import { parseBrokerAddress } from '@voltkeep/simulator/link'
import { createRandom } from '@voltkeep/simulator/random'
import { readSecrets } from '@voltkeep/simulator/secrets'

/** The devices of connections.ts and commands.ts, in a process of their own so that both sides get a core. */
export type FleetOrder =
  | {
      kind: 'connect'
      mqtt: string
      secretsPath: string
      connectsPerSecond: number
      hasScreens?: boolean
      upgrades?: FleetUpgrades
    }
  /** Answer when all devices are online. */
  | { kind: 'whenOnline' }
  | { kind: 'whenOffline' }
  | { kind: 'memory' }
export type FleetAnswer = {
  atMs: number
  onlineCount: number
  rssBytes: number
  cpuMs: number
  /** Targets of upgrades that were installed, and the most times that one was: more than once is an error. */
  installedCount: number
  mostInstalls: number
}
/** Devices report their parts and take upgrades; `troubles`: the share of tries that goes wrong in each way. */
export type FleetUpgrades = Omit<UpgradeOptions, 'trouble'> & {
  troubles?: TroubleShares<UpgradeTroubleName>
  rebootMs?: number
}

let fleet: Fleet<SimulatedIdentity> | undefined

process.on('disconnect', () => process.exit(0))
process.on('message', async (order: FleetOrder) => {
  switch (order.kind) {
    case 'connect':
      fleet = createFleet(order)
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
  const installs = fleet?.devices.flatMap(({ installCounts }) => [...installCounts.values()]) ?? []
  const answer: FleetAnswer = {
    atMs: Date.now(),
    onlineCount: fleet?.onlineCount ?? 0,
    rssBytes: process.memoryUsage.rss(),
    cpuMs: (process.cpuUsage().user + process.cpuUsage().system) / 1000,
    installedCount: installs.length,
    mostInstalls: installs.reduce((most, count) => Math.max(most, count), 0),
  }
  process.send?.(answer)
})

function createFleet({
  secretsPath,
  mqtt,
  connectsPerSecond,
  hasScreens = false,
  upgrades,
}: Extract<FleetOrder, { kind: 'connect' }>): Fleet<SimulatedIdentity> {
  const random = createRandom(1)
  const { troubles = {}, rebootMs, ...upgrade } = upgrades ?? {}
  // Shared by all devices.
  const commands = { hasScreen: hasScreens, rebootMs, upgrade: { ...upgrade, trouble: byChance(troubles) } }
  return new Fleet(readSecrets(secretsPath), {
    broker: parseBrokerAddress(mqtt),
    random,
    connectsPerSecond,
    commandsOf: () => commands,
    partsOf: (identity) => (upgrades ? partsOf(identity, random.fork(`${identity.code}/parts`)) : []),
  })
}
