// The ids of names in status reports, and how many names there may be: of one device, of a branch of organizations, and of all.
import type { Db } from '../../../platform/database/database.ts'
import { createComplaints } from '../../../platform/process/complaints.ts'
import { addKeys, findKeyIds, type KeyLimits, readOrganizations, useKeys } from './keys.queries.ts'

/** A branch alone has half of `inAll`. A device's history has `ofDevice` names, too; a report has at most a hundred. */
export const keyLimits: KeyLimits = {
  ofDevice: 300,
  inAll: 40_000,
  ofEachBranch: 500,
  ofNobody: 5_000,
}

export interface KeyBudget {
  /** Undefined where it is not known, or the name is refused. */
  idOf(name: string): number | undefined
  /** Of the ids that this process has met. */
  nameOf(id: number): string | undefined
  /** For a batch: whether a name of a device need not be learnt now. */
  settled(): (name: string, deviceId: number) => boolean
  /** Finds or makes the ids of names, by the devices that have used them. Never in the transaction of a batch. */
  learn(wanted: ReadonlyMap<number, ReadonlySet<string>>): Promise<void>
}

/** After this time it is looked anew whether names are there, and whether there is room. */
const forgetMs = 600_000
const mostRefused = 50_000

export function createKeyBudget({
  db,
  complain,
  limits = keyLimits,
  now = () => performance.now(),
}: {
  db: Db
  /** Told, now and then, of names that were refused. */
  complain(names: readonly string[], count: number): void
  limits?: KeyLimits
  now?: () => number
}): KeyBudget {
  const ids = new Map<string, number>()
  const names = new Map<number, string>()
  /** Looked up lately. The others keep their ids until then, for the batches that are under way. */
  const fresh = new Set<string>()
  /** By the organization, as others may have room for the name. */
  const refused = new Set<string>()
  const organizationOf = new Map<number, number | null>()
  const refusal = (name: string, deviceId: number) => `${organizationOf.get(deviceId)} ${name}`
  let forgottenAtMs = now()
  const complaints = createComplaints((left, count) => complain(left as readonly string[], count))

  const note = (found: ReadonlyMap<string, number>) => {
    for (const [name, id] of found) {
      ids.set(name, id)
      names.set(id, name)
      fresh.add(name)
    }
  }

  return {
    idOf: (name) => ids.get(name),
    nameOf: (id) => names.get(id),
    settled() {
      if (now() - forgottenAtMs >= forgetMs) {
        forgottenAtMs = now()
        for (const some of [fresh, refused, organizationOf]) some.clear()
      }
      return (name, deviceId) => fresh.has(name) || refused.has(refusal(name, deviceId))
    },
    async learn(wanted) {
      const known = await useKeys(db, namesIn(wanted))
      note(known)
      const unknown = without(wanted, (name) => known.has(name))
      if (unknown.size === 0) return
      for (const [id, organizationId] of await readOrganizations(db, [...unknown.keys()]))
        organizationOf.set(id, organizationId)
      const missing = without(unknown, (name, deviceId) => refused.has(refusal(name, deviceId)))
      if (missing.size === 0) return
      await addKeys(db, missing, limits)
      const found = await findKeyIds(db, namesIn(missing))
      note(found)
      for (const [deviceId, left] of without(missing, (name) => found.has(name))) {
        if (refused.size + left.length > mostRefused) refused.clear()
        for (const name of left) {
          refused.add(refusal(name, deviceId))
          // It may have been there once, and have gone with its history.
          if (!fresh.has(name)) ids.delete(name)
        }
        complaints(left)
      }
    },
  }
}

type NamesOfDevices = ReadonlyMap<number, Iterable<string>>

const namesIn = (wanted: NamesOfDevices) => [...new Set([...wanted.values()].flatMap((some) => [...some]))]

function without(wanted: NamesOfDevices, isLeftOut: (name: string, deviceId: number) => boolean) {
  const rest = new Map<number, string[]>()
  for (const [deviceId, some] of wanted) {
    const names = [...some].filter((name) => !isLeftOut(name, deviceId))
    if (names.length > 0) rest.set(deviceId, names)
  }
  return rest
}
