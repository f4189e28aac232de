// How sightings of batteries in one compartment become stays. Pure; the reasons are in docs/decisions/0045.

/**
 * A battery seen again in its compartment within this time has been there all along, whatever was said in between. So
 * what was seen inside a stretch of sightings changes nothing, and need not be kept: the same reports give the same
 * stays in any order, though an unchanged report is remembered only until the next. Devices report at least every five
 * minutes.
 */
export const continuityMs = 6 * 60_000

/** A stay that is seen more rarely than `continuityMs` has many stretches: beyond this number the oldest are joined. */
export const mostStretches = 16

/** The code of no battery: an empty compartment is a stay of it. */
export const noBattery = ''

/** What one report says of one compartment. */
export interface Sighting {
  code: string
  atMs: number
  soc: number | null
}

/** Sightings of one battery, each within `continuityMs` of the next. */
export interface Stretch {
  fromMs: number
  toMs: number
  /** The first state of charge that was said in it, and the last. */
  socIn: Charge | null
  socOut: Charge | null
}

/** A state of charge in percent, and when it was said. */
export interface Charge {
  soc: number
  atMs: number
}

export interface Stay {
  code: string
  /** In the order of time; at least one. Nothing else was seen between them. */
  stretches: readonly Stretch[]
  /** The first sighting of something else; null while there is none. */
  endMs: number | null
}

export const startOf = ({ stretches }: Stay): number => (stretches[0] as Stretch).fromMs
export const lastSeen = ({ stretches }: Stay): number => (stretches.at(-1) as Stretch).toMs

/** The state of charge with which the battery came, and the last that was said. */
export const chargesOf = ({ stretches }: Stay) => ({
  socIn: stretches.find(({ socIn }) => socIn !== null)?.socIn ?? null,
  socOut: stretches.findLast(({ socOut }) => socOut !== null)?.socOut ?? null,
})

/** The stays of one compartment with further sightings, in the order of their beginnings. */
export function withSightings(stays: readonly Stay[], sightings: readonly Sighting[]): Stay[] {
  const stretches = [
    ...stays.flatMap(({ code, stretches: some }) => some.map((stretch) => ({ ...stretch, code }))),
    ...sightings.map(({ code, atMs, soc }) => {
      const charge = soc === null ? null : { soc, atMs }
      return { code, fromMs: atMs, toMs: atMs, socIn: charge, socOut: charge }
    }),
  ]
  const joined = [...Map.groupBy(stretches, ({ code }) => code).values()].flatMap(joinNear)
  return [...Map.groupBy(joined, ({ code }) => code)]
    .flatMap(([code, own]) => {
      const others = joined.filter((other) => other.code !== code)
      return groupsOf(own, others).map((group) => ({
        code,
        stretches: fewer(group.map(({ code: _, ...stretch }) => stretch)),
        endMs: endOf(code, (group.at(-1) as Stretch).toMs, others),
      }))
    })
    .sort((a, b) => startOf(a) - startOf(b) || (a.code < b.code ? -1 : 1))
}

/** Stays of a device whose clock was ahead and has been set back: no time of theirs is later than `toMs`. */
export function setBack(stays: readonly Stay[], limitMs: number, toMs: number): Stay[] {
  const at = (ms: number) => (ms > limitMs ? Math.min(ms, toMs) : ms)
  const charge = (one: Charge | null) => one && { ...one, atMs: at(one.atMs) }
  return stays.map(({ code, stretches, endMs }) => ({
    code,
    endMs: endMs === null ? null : at(endMs),
    stretches: stretches.map(({ fromMs, toMs: lastMs, socIn, socOut }) => ({
      fromMs: at(fromMs),
      toMs: at(lastMs),
      socIn: charge(socIn),
      socOut: charge(socOut),
    })),
  }))
}

type CodedStretch = Stretch & { code: string }

function joinNear(stretches: CodedStretch[]): CodedStretch[] {
  const joined: CodedStretch[] = []
  for (const stretch of stretches.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1)
    if (last && stretch.fromMs - last.toMs <= continuityMs) joined[joined.length - 1] = join(last, stretch)
    else joined.push(stretch)
  }
  return joined
}

const join = <One extends Stretch>(a: One, b: One): One => ({
  ...a,
  fromMs: Math.min(a.fromMs, b.fromMs),
  toMs: Math.max(a.toMs, b.toMs),
  socIn: chosen(a.socIn, b.socIn, (one, other) => one.atMs - other.atMs || one.soc - other.soc),
  socOut: chosen(a.socOut, b.socOut, (one, other) => other.atMs - one.atMs || other.soc - one.soc),
})

/** The one that comes first by the order. */
const chosen = (a: Charge | null, b: Charge | null, order: (a: Charge, b: Charge) => number) =>
  a && b ? (order(a, b) <= 0 ? a : b) : (a ?? b)

/** The stretches of one battery, parted where something else was seen between two of them. */
function groupsOf(own: readonly CodedStretch[], others: readonly CodedStretch[]): CodedStretch[][] {
  const groups: CodedStretch[][] = []
  let lastMs = 0
  for (const stretch of own) {
    const group = groups.at(-1)
    const isApart = others.some(({ fromMs, toMs }) => fromMs < stretch.fromMs && toMs > lastMs)
    if (group && !isApart) group.push(stretch)
    else groups.push([stretch])
    lastMs = stretch.toMs
  }
  return groups
}

/**
 * When something else was seen first after the last sighting. A stretch of something else that covers that sighting
 * ends the stay with it. Of two that were last seen at the same time the one with the greater code goes on, so that the
 * order of arrival does not matter.
 */
function endOf(code: string, lastMs: number, others: readonly CodedStretch[]): number | null {
  const after = others.filter(({ toMs, code: other }) => toMs > lastMs || (toMs === lastMs && other > code))
  if (after.length === 0) return null
  return Math.max(lastMs, Math.min(...after.map(({ fromMs }) => fromMs)))
}

function fewer(stretches: Stretch[]): Stretch[] {
  const over = stretches.length - mostStretches
  if (over <= 0) return stretches
  return [stretches.slice(0, over + 1).reduce(join), ...stretches.slice(over + 1)]
}
