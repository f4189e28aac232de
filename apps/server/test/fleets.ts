import type { DeviceIdentity } from '@voltkeep/simulator/device'
import { Fleet, type FleetOptions } from '@voltkeep/simulator/fleet'
import { createRandom } from '@voltkeep/simulator/random'

/** The first `count` cabinets among the devices. */
export const cabinetsAmong = <Identity extends DeviceIdentity>(
  identities: readonly Identity[],
  count: number,
): Identity[] => identities.filter(({ code }) => code.startsWith('EC')).slice(0, count)

/**
 * Connects devices all at once; they reconnect within half a second after a restart of the server. The same in every
 * run.
 */
export async function connectFleet<Identity extends DeviceIdentity>(
  identities: readonly Identity[],
  mqttPort: number,
  options: Partial<FleetOptions<Identity>> = {},
): Promise<Fleet<Identity>> {
  const fleet = new Fleet(identities, {
    broker: { host: '127.0.0.1', port: mqttPort, isTls: false },
    random: createRandom(1),
    reconnectMs: [100, 500],
    connectsPerSecond: 1_000,
    ...options,
  })
  await fleet.start()
  await fleet.whenOnline()
  return fleet
}
