/** Who decides on what is told, as of one look: each person is asked once, many in one statement. */
import { type DataScope, placesWithin } from '../../../domain/access/data-scope.ts'
import { type Decider, standingScopes } from '../../../domain/access/deciders.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Receiver } from '../targets/targets.queries.ts'
import { decidersOf } from './follower-deciders.ts'
import type { Placed } from './matching.queries.ts'

/** What a person reaches; the same one for all who reach the same. */
export interface Standing {
  n: number
  scope: DataScope
  sees: (row: Placed) => boolean
}

/** A receiver, and what those reach beside the rule's owner whose decision it is. */
export interface Told {
  receiver: Receiver
  standings: readonly Standing[]
}

/** Deciders of one statement: a scope may be thousands of ids. */
const portion = 100
/** Rows of one statement. */
const rowsAtMost = 20_000
const alarmsAtMost = 2_000

export type Standings = ReturnType<typeof createStandings>

export function createStandings(db: Db) {
  const known = new Map<string, Standing | null>()
  const shared = new Map<string, Standing>()

  function sharedOf(scope: DataScope): Standing {
    const key = JSON.stringify(scope)
    const standing = shared.get(key) ?? { n: shared.size, scope, sees: placesWithin(scope) }
    shared.set(key, standing)
    return standing
  }

  async function load(deciders: readonly Decider[]): Promise<void> {
    const unknown = new Map(deciders.map((decider) => [keyOf(decider), decider]))
    for (const key of known.keys()) unknown.delete(key)
    const rest = [...unknown]
    for (let start = 0; start < rest.length; start += portion) {
      const part = rest.slice(start, start + portion)
      const scopes = await standingScopes(
        db,
        part.map(([, decider]) => decider),
      )
      for (const [n, [key]] of part.entries()) known.set(key, scopes[n] ? sharedOf(scopes[n]) : null)
    }
  }

  /** Null where the user may not decide any more. */
  const of = (decider: Decider): Standing | null => known.get(keyOf(decider)) ?? null

  return {
    load,
    of,

    /** The receivers of whom all deciders may decide still; `of` names them. */
    async tellable(
      receivers: readonly Receiver[],
      decidersBy: (receiver: Receiver) => Decider[] = decidersOf,
    ): Promise<Told[]> {
      await load(receivers.flatMap(decidersBy))
      return receivers.flatMap((receiver) => {
        const standings = decidersBy(receiver).flatMap((decider) => of(decider) ?? [])
        return standings.length < decidersBy(receiver).length
          ? []
          : [{ receiver, standings: [...new Set(standings)].toSorted((a, b) => a.n - b.n) }]
      })
    },
  }
}

const keyOf = ({ userId, decidedIn = null, functionCodes }: Decider) =>
  JSON.stringify([userId, decidedIn, functionCodes])

/** Rows in portions of one transaction each, in which all are told of them. */
export function portionsFor<Row>(rows: readonly Row[], receivers: number): Row[][] {
  const size = Math.max(1, Math.min(alarmsAtMost, Math.floor(rowsAtMost / Math.max(1, receivers))))
  const parts: Row[][] = []
  for (let start = 0; start < rows.length; start += size) parts.push(rows.slice(start, start + size))
  return parts
}

/** Whom to tell of what: receivers who are told of the same together. */
export function shareOut(
  rows: readonly Placed[],
  told: readonly Told[],
): { ids: string[]; receivers: Receiver[] }[] {
  const shares = new Map<string, { ids: string[]; receivers: Receiver[] }>()
  for (const { receiver, standings } of told) {
    const ids = rows.filter((row) => standings.every(({ sees }) => sees(row))).map(({ id }) => id)
    if (ids.length === 0) continue
    const share = shares.get(ids.join()) ?? { ids, receivers: [] }
    share.receivers.push(receiver)
    shares.set(ids.join(), share)
  }
  return [...shares.values()]
}

/** Receivers by what those reach whose decision they are. */
export function sharesByReach(told: readonly Told[]): { scopes: DataScope[]; receivers: Receiver[] }[] {
  const shares = new Map<string, { scopes: DataScope[]; receivers: Receiver[] }>()
  for (const { receiver, standings } of told) {
    const key = standings.map(({ n }) => n).join()
    const share = shares.get(key) ?? { scopes: standings.map(({ scope }) => scope), receivers: [] }
    share.receivers.push(receiver)
    shares.set(key, share)
  }
  return [...shares.values()]
}
