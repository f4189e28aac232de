// The ids of names in status reports, and how many names there may be: of one device, and of all.
import type pg from 'pg'
import { createComplaints } from '../../../platform/process/complaints.ts'
import { addKeys } from './keys.queries.ts'

export const keyLimits = {
  /** Names whose history one device has, and that it may add. A report has at most a hundred. */
  ofDevice: 300,
  inAll: 20_000,
}

export interface KeyBudget {
  /** Undefined where it is not known yet; null where the name is refused. */
  idOf(name: string): number | null | undefined
  /** Of the ids that this process has met. */
  nameOf(id: number): string | undefined
  /** Finds or makes the ids of names, each with a device that has used it. Never in the transaction of a batch. */
  learn(names: ReadonlyMap<string, number>): Promise<void>
}

/** A name that was refused is tried again after this time: limits may have been raised, rows removed. */
const refusedMs = 600_000
const mostRefused = 50_000

export function createKeyBudget({
  pool,
  complain,
  limits = keyLimits,
  now = () => performance.now(),
}: {
  pool: pg.Pool
  /** Told, now and then, of names that were refused. */
  complain(names: readonly string[], count: number): void
  limits?: typeof keyLimits
  now?: () => number
}): KeyBudget {
  const ids = new Map<string, number>()
  const names = new Map<number, string>()
  const refused = new Map<string, number>()
  const complaints = createComplaints((left, count) => complain(left as readonly string[], count))

  return {
    idOf(name) {
      const id = ids.get(name)
      if (id !== undefined) return id
      const atMs = refused.get(name)
      if (atMs === undefined) return undefined
      if (now() - atMs < refusedMs) return null
      refused.delete(name)
      return undefined
    },
    nameOf: (id) => names.get(id),
    async learn(wanted) {
      const byDevice = new Map<number, string[]>()
      for (const [name, deviceId] of wanted) {
        const some = byDevice.get(deviceId)
        if (some) some.push(name)
        else byDevice.set(deviceId, [name])
      }
      for (const [deviceId, some] of byDevice) {
        const found = await addKeys(pool, { deviceId, names: some.toSorted(), limits })
        for (const { key, id } of found) {
          ids.set(key, id)
          names.set(id, key)
        }
        const left = some.filter((name) => !ids.has(name))
        if (left.length === 0) continue
        if (refused.size + left.length > mostRefused) refused.clear()
        for (const name of left) refused.set(name, now())
        complaints(left)
      }
    },
  }
}
