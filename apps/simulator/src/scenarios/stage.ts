import type { Batteries } from '../cabinet/battery.ts'
import type { VirtualDevice } from '../device.ts'
import type { SimulatedIdentity } from '../firmware.ts'
import type { Fleet } from '../fleet.ts'
import type { BrokerAddress } from '../link.ts'
import type { Random } from '../random.ts'

/** What a scenario works with. */
export interface Stage {
  fleet: Fleet<SimulatedIdentity>
  broker: BrokerAddress
  random: Random
  /** The pace: 1 is normal, 10 is ten times as fast. */
  rate: number
  /** How often each device reports its status; 0: never. */
  statusSeconds: number
  /** Those of all cabinets. */
  batteries: Batteries
  /** Aborted when the scenario is to end. */
  signal: AbortSignal
  /** Prints a line on the console. */
  say(line: string): void
}

/** Resolves when the scenario is over or the signal is aborted. The fleet stays connected. */
export type Scenario = (stage: Stage) => Promise<void>

/** Waits until the time is over or the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}

/** Calls `act` at random intervals of `meanMs / rate` on average, until the signal is aborted. */
export async function repeat(stage: Stage, meanMs: number, act: () => unknown): Promise<void> {
  const { random, rate, signal } = stage
  for (;;) {
    await pause(random.gap(meanMs) / rate, signal)
    if (signal.aborted) return
    await act()
  }
}

/** A random device that is online. */
export function pickOnline({ fleet, random }: Stage): VirtualDevice | undefined {
  // A few draws instead of a list of ten thousand devices at every step.
  for (let tries = 0; tries < 20; tries += 1) {
    const device = random.pick(fleet.devices)
    if (device.isOnline) return device
  }
  return undefined
}

export function identityOf({ fleet }: Stage, device: VirtualDevice): SimulatedIdentity {
  return fleet.identities.get(device.code) as SimulatedIdentity
}
