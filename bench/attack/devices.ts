import { fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import type { DevicesAnswer, DevicesOrder } from './devices-process.ts'

export interface AttackDevices {
  order(order: DevicesOrder): void
  /** The figures since the last `look`. */
  look(): Promise<DevicesAnswer>
  /** Lowers the priority: the process runs only when no other process needs the CPU. */
  yieldProcessor(): void
  end(): void
}

/** Starts a process of devices. */
export function startDevices(): AttackDevices {
  const child = fork(join(import.meta.dirname, 'devices-process.ts'), { stdio: 'inherit' })
  return {
    order: (order) => void child.send(order),
    async look() {
      const answer = once(child, 'message')
      child.send({ kind: 'look' } satisfies DevicesOrder)
      const [figures] = await answer
      return figures as DevicesAnswer
    },
    yieldProcessor: () => setPriority(child.pid as number, constants.priority.PRIORITY_LOW),
    end: () => void child.kill('SIGKILL'),
  }
}

/** The value below which this share of the list lies. */
export function quantile(list: readonly number[], share: number): number {
  const sorted = list.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
