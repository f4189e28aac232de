// A fleet of simulated devices in its own process, for the benches.
import { setTimeout as delay } from 'node:timers/promises'
import {
  byChance,
  type SettingTroubleName,
  type TroubleShares,
  type UpgradeTroubleName,
} from '@voltkeep/simulator/commands/trouble'
import type { UpgradeOptions } from '@voltkeep/simulator/commands/upgrades'
import type { SimulatedIdentity } from '@voltkeep/simulator/firmware'
import { Fleet } from '@voltkeep/simulator/fleet'
import { parseBrokerAddress } from '@voltkeep/simulator/link'
import type { Parameter } from '@voltkeep/simulator/parameters'
import type { Part } from '@voltkeep/simulator/parts'
import { createRandom } from '@voltkeep/simulator/random'
import { readSecrets } from '@voltkeep/simulator/secrets'

/**
 * The devices of batches.ts, commands.ts, connections.ts and upgrades.ts, in their own process so that both sides get
 * a core.
 */
export type FleetOrder =
  | {
      kind: 'connect'
      mqtt: string
      secretsPath: string
      connectsPerSecond: number
      /** The number of devices to start, the first ones of the secrets; by default all. */
      devices?: number
      /** Starts with the device of this number. */
      from?: number
      /** Where they connect from: one address has some 28,000 ports to one broker. */
      localAddress?: string
      hasScreens?: boolean
      upgrades?: FleetUpgrades
      settings?: FleetSettings
    }
  /** Answered when all devices are online. */
  | { kind: 'whenOnline' }
  | { kind: 'whenOffline' }
  /** Answered when some of them are offline. */
  | { kind: 'whenSomeOffline' }
  | { kind: 'memory' }
  /** Asks for the results of these targets. */
  | { kind: 'account'; targets: readonly { id: string; code: string }[] }
export type FleetAnswer = {
  atMs: number
  onlineCount: number
  rssBytes: number
  cpuMs: number
  /** For `account`: how often each target was installed, and the present version of the device's first part. */
  accounts: { id: string; installs: number; version: string | undefined }[]
}
/** Devices report these parts and accept upgrades; `troubles`: the share of tries that goes wrong in each way. */
export type FleetUpgrades = Omit<UpgradeOptions, 'trouble'> & {
  parts: readonly Part[]
  troubles?: TroubleShares<UpgradeTroubleName>
  rebootMs?: number
}

/**
 * Devices report these parameters and accept new values; `troubles`: the share of commands that goes wrong in each way.
 */
export interface FleetSettings {
  parameters: readonly Parameter[]
  troubles: TroubleShares<SettingTroubleName>
}

let fleet: Fleet<SimulatedIdentity> | undefined

process.on('disconnect', () => process.exit(0))
process.on('message', async (order: FleetOrder) => {
  let accounts: FleetAnswer['accounts'] = []
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
    case 'whenSomeOffline':
      while (fleet && fleet.onlineCount === fleet.devices.length) await delay(5)
      break
    case 'memory':
      break
    case 'account': {
      const devices = new Map(fleet?.devices.map((device) => [device.code, device]))
      accounts = order.targets.map(({ id, code }) => {
        const device = devices.get(code)
        return { id, installs: device?.installCounts.get(id) ?? 0, version: device?.parts.list[0]?.version }
      })
    }
  }
  const answer: FleetAnswer = {
    atMs: Date.now(),
    onlineCount: fleet?.onlineCount ?? 0,
    rssBytes: process.memoryUsage.rss(),
    cpuMs: (process.cpuUsage().user + process.cpuUsage().system) / 1000,
    accounts,
  }
  process.send?.(answer)
})

function createFleet({
  secretsPath,
  mqtt,
  connectsPerSecond,
  devices,
  from = 0,
  localAddress,
  hasScreens = false,
  upgrades,
  settings,
}: Extract<FleetOrder, { kind: 'connect' }>): Fleet<SimulatedIdentity> {
  const random = createRandom(1)
  const { troubles = {}, rebootMs, parts = [], ...upgrade } = upgrades ?? {}
  // Shared by all devices.
  const commands = {
    hasScreen: hasScreens,
    rebootMs,
    upgrade: { ...upgrade, trouble: byChance(troubles) },
    settings: { trouble: byChance(settings?.troubles ?? {}) },
  }
  return new Fleet(readSecrets(secretsPath).slice(from, devices === undefined ? undefined : from + devices), {
    broker: parseBrokerAddress(mqtt),
    random,
    connectsPerSecond,
    ...(localAddress !== undefined && { localAddress }),
    reconnectMs: upgrades ? [100, 2_000] : undefined,
    commandsOf: () => commands,
    partsOf: () => parts,
    parametersOf: () => settings?.parameters ?? [],
  })
}
