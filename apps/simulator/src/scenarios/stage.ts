import type { VirtualDevice } from '../device.ts'
import type { SimulatedIdentity } from '../firmware.ts'
import type { Fleet } from '../fleet.ts'
import type { BrokerAddress } from '../link.ts'
import type { Random } from '../random.ts'

/** What a scenario plays on. */
export interface Stage {
  fleet: Fleet<SimulatedIdentity>
  broker: BrokerAddress
  random: Random
  /** 1 is the usual pace; 10 is ten times as much in the same time. */
  rate: number
  /** Aborted when the play is to end. */
  signal: AbortSignal
  /** A line for the person at the console. */
  say(line: string): void
}

/** Ends by itself or with the signal; leaves the fleet connected. */
export type Scenario = (stage: Stage) => Promise<void>

/** Waits, no longer than until the signal. */
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

/** Does `act` again and again, at random moments `meanMs` apart on average, divided by the rate. */
export async function repeat(stage: Stage, meanMs: number, act: () => unknown): Promise<void> {
  const { random, rate, signal } = stage
  for (;;) {
    await pause(random.gap(meanMs) / rate, signal)
    if (signal.aborted) return
    await act()
  }
}

/** One of those online at the moment, if there is any. */
export function pickOnline({ fleet, random }: Stage): VirtualDevice | undefined {
  // A few draws instead of a list of ten thousand at every step.
  for (let tries = 0; tries < 20; tries += 1) {
    const device = random.pick(fleet.devices)
    if (device.isOnline) return device
  }
  return undefined
}

export function identityOf({ fleet }: Stage, device: VirtualDevice): SimulatedIdentity {
  return fleet.identities.get(device.code) as SimulatedIdentity
}
