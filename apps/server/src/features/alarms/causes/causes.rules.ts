/**
 * Which alarms and lost connections have one cause. Pure: no clock, no database; times are milliseconds since 1970.
 *
 * Many at the same time are not enough: in a large fleet something happens somewhere at any time. It takes at least half of
 * the devices that there are in the place, within two minutes.
 */
import type { AlarmCauseKind } from '@voltkeep/contract'

/** Within this time all has to begin that shows a cause. */
export const causeWithinMs = 120_000
/** What begins so soon after the last of it belongs to it. */
export const joinWithinMs = 120_000

/** An alarm began, or a device went offline. */
export interface Happening {
  deviceId: number
  operatorId: number
  regionId: number
  /** From which the device was connected; null where it is not known. */
  network: string | null
  atMs: number
  /** Null: it went offline. */
  episodeId: string | null
}

/** What a cause is about: the same text for the same site, network or cabinet. */
export type CauseKey = `site ${number} ${number}` | `network ${string}` | `cabinet ${number}`

export interface OpenCause {
  id: string
  key: CauseKey
  beganAtMs: number
  lastAtMs: number
}

/** Largest first: what a carrier's outage explains needs no other cause. */
const kinds = ['network', 'site', 'cabinet'] as const satisfies readonly AlarmCauseKind[]

const keyOf: Record<AlarmCauseKind, (one: Happening) => CauseKey | null> = {
  network: ({ network }) => (network === null ? null : `network ${network}`),
  site: ({ operatorId, regionId }) => `site ${operatorId} ${regionId}`,
  cabinet: ({ deviceId }) => `cabinet ${deviceId}`,
}

export const kindOf = (key: CauseKey) => key.slice(0, key.indexOf(' ')) as AlarmCauseKind

/** At least so many devices of a site or a network, and at least this share of all that are there. */
const fewest = { site: 3, network: 5 }
const share = 0.5
/** A cabinet that is lost takes its alarms with it, where they are several. */
const fewestAlarms = 2

/** Whether these show a cause, where so many devices are in its reach. */
export function isCause(kind: AlarmCauseKind, members: readonly Happening[], size: number): boolean {
  const lost = members.filter(({ episodeId }) => episodeId === null)
  if (kind === 'cabinet') return lost.length > 0 && members.length - lost.length >= fewestAlarms
  // An alarm says that its device reaches us: a network is lost where connections are.
  const concerned = new Set((kind === 'network' ? lost : members).map(({ deviceId }) => deviceId))
  return concerned.size >= fewest[kind] && concerned.size >= size * share
}

export interface FoundCauses {
  /** What joins a cause that is known, by its id. */
  joined: Map<string, Happening[]>
  founded: { key: CauseKey; members: Happening[] }[]
}

/** `sizeOf` tells how many devices are in the reach of a site or a network. */
export function findCauses(
  happenings: readonly Happening[],
  open: readonly OpenCause[],
  sizeOf: (key: CauseKey) => number,
): FoundCauses {
  const found: FoundCauses = { joined: new Map(), founded: [] }
  let left = happenings.toSorted((a, b) => a.atMs - b.atMs)
  for (const kind of kinds) {
    const taken = new Set<Happening>()
    for (const [key, all] of groupedBy(left, keyOf[kind])) {
      let rest = all
      for (const cause of open.filter((one) => one.key === key)) {
        const members = belonging(rest, cause)
        if (members.length > 0) found.joined.set(cause.id, members)
        rest = without(rest, members, taken)
      }
      for (let members = firstCause(kind, rest, sizeOf(key)); members; ) {
        found.founded.push({ key, members })
        rest = without(rest, members, taken)
        members = firstCause(kind, rest, sizeOf(key))
      }
    }
    left = left.filter((one) => !taken.has(one))
  }
  return found
}

function without(some: readonly Happening[], members: readonly Happening[], taken: Set<Happening>) {
  for (const one of members) taken.add(one)
  return some.filter((one) => !taken.has(one))
}

function groupedBy(
  some: readonly Happening[],
  key: (one: Happening) => CauseKey | null,
): Map<CauseKey, Happening[]> {
  const groups = new Map<CauseKey, Happening[]>()
  for (const one of some) {
    const name = key(one)
    if (name === null) continue
    const own = groups.get(name)
    if (own) own.push(one)
    else groups.set(name, [one])
  }
  return groups
}

/** Those, in order of time, of which each begins soon after the one before. */
function belonging(
  rest: readonly Happening[],
  { beganAtMs, lastAtMs }: Pick<OpenCause, 'beganAtMs' | 'lastAtMs'>,
): Happening[] {
  let last = lastAtMs
  const members: Happening[] = []
  for (const one of rest) {
    if (one.atMs < beganAtMs - causeWithinMs) continue
    if (one.atMs > last + joinWithinMs) break
    members.push(one)
    last = Math.max(last, one.atMs)
  }
  return members
}

/** The earliest of these, in order of time, that show a cause, with what belongs to it. */
function firstCause(kind: AlarmCauseKind, rest: readonly Happening[], size: number): Happening[] | undefined {
  let end = 0
  for (const [start, first] of rest.entries()) {
    end = Math.max(end, start)
    while (end < rest.length && (rest[end]?.atMs ?? 0) <= first.atMs + causeWithinMs) end += 1
    const window = rest.slice(start, end)
    const last = window.at(-1)
    if (last && isCause(kind, window, size))
      return [...window, ...belonging(rest.slice(end), { beganAtMs: first.atMs, lastAtMs: last.atMs })]
  }
  return undefined
}

/** The network of an address, as its beginning: of IPv4 the first three numbers; null for others. */
export function networkOf(address: string | null): string | null {
  const found = address?.match(/^(?:::ffff:)?(\d{1,3}\.\d{1,3}\.\d{1,3}\.)\d{1,3}$/i)
  return found?.[1] ?? null
}
