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
  const others = othersAmong(joined)
  return [...Map.groupBy(joined, ({ code }) => code)]
    .flatMap(([code, own]) =>
      groupsOf(own, others).map((group) => ({
        code,
        stretches: fewer(group.map(({ code: _, ...stretch }) => stretch)),
        endMs: endOf(code, (group.at(-1) as Stretch).toMs, others),
      })),
    )
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

/** What was seen of other batteries, found without going through all of it: a device may have thousands of stays. */
interface Others {
  /** The latest sighting of another battery among the stretches that began before the moment. */
  lastSeenOfThoseBefore(code: string, ms: number): number
  /**
   * The earliest beginning among the stretches of other batteries that were last seen after the moment, or at it and with
   * a greater code; infinite where there is none.
   */
  firstOfThoseAfter(code: string, ms: number): number
}

function othersAmong(stretches: readonly CodedStretch[]): Others {
  const byStart = stretches.toSorted((a, b) => a.fromMs - b.fromMs)
  const latest = bestOfTwo(byStart, ({ toMs }) => toMs)
  const byEnd = stretches.toSorted(fromLastSeen)
  const earliest = bestOfTwo(byEnd, ({ fromMs }) => -fromMs)
  return {
    lastSeenOfThoseBefore: (code, ms) =>
      latest(
        countWhile(byStart, ({ fromMs }) => fromMs < ms),
        code,
      ),
    firstOfThoseAfter: (code, ms) =>
      -earliest(
        countWhile(byEnd, (one) => fromLastSeen(one, { toMs: ms, code }) < 0),
        code,
      ),
  }
}

/** The last seen first; of those seen last at one time the greater code. */
const fromLastSeen = (a: Pick<CodedStretch, 'toMs' | 'code'>, b: Pick<CodedStretch, 'toMs' | 'code'>) =>
  b.toMs - a.toMs || (a.code === b.code ? 0 : a.code > b.code ? -1 : 1)

/** The greatest value among the first `count`, of another code than the given one: of each beginning the best two codes. */
function bestOfTwo(stretches: readonly CodedStretch[], measure: (stretch: CodedStretch) => number) {
  type Best = { code: string; value: number } | null
  let [best, second]: [Best, Best] = [null, null]
  const upTo: [Best, Best][] = [[best, second]]
  for (const stretch of stretches) {
    const one = { code: stretch.code, value: measure(stretch) }
    if (best === null || one.code === best.code) best = best && best.value > one.value ? best : one
    else if (one.value > best.value) [best, second] = [one, best]
    else if (second === null || one.value > second.value) second = one
    upTo.push([best, second])
  }
  return (count: number, code: string) => {
    const [first, other] = upTo[count] as [Best, Best]
    return (first?.code === code ? other : first)?.value ?? Number.NEGATIVE_INFINITY
  }
}

/** How many come before the first that does not pass, in a list that is parted by the condition. */
function countWhile<T>(list: readonly T[], passes: (one: T) => boolean): number {
  let [from, to] = [0, list.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (passes(list[middle] as T)) from = middle + 1
    else to = middle
  }
  return from
}

/** The stretches of one battery, parted where something else was seen between two of them. */
function groupsOf(own: readonly CodedStretch[], others: Others): CodedStretch[][] {
  const groups: CodedStretch[][] = []
  let lastMs = 0
  for (const stretch of own) {
    const group = groups.at(-1)
    const isApart = others.lastSeenOfThoseBefore(stretch.code, stretch.fromMs) > lastMs
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
function endOf(code: string, lastMs: number, others: Others): number | null {
  const fromMs = others.firstOfThoseAfter(code, lastMs)
  return fromMs === Number.POSITIVE_INFINITY ? null : Math.max(lastMs, fromMs)
}

function fewer(stretches: Stretch[]): Stretch[] {
  const over = stretches.length - mostStretches
  if (over <= 0) return stretches
  return [stretches.slice(0, over + 1).reduce(join), ...stretches.slice(over + 1)]
}
