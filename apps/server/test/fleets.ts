import type { DeviceIdentity } from '@voltkeep/simulator/device'
import { Fleet, type FleetOptions } from '@voltkeep/simulator/fleet'
import { createRandom } from '@voltkeep/simulator/random'

/** So many of them that are cabinets. */
export const cabinetsAmong = <Identity extends DeviceIdentity>(
  identities: readonly Identity[],
  count: number,
): Identity[] => identities.filter(({ code }) => code.startsWith('EC')).slice(0, count)

/** Devices that come all at once, and are back within half a second when the server is; the same at every run. */
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
