/**
 * Which episodes of one device's semaphore are the same trouble. Pure: no clock, no database; times are milliseconds
 * since 1970, values and ids text (int8).
 */
import type { AlarmChatter } from '@voltkeep/contract'

/** Within this time after its recovery an alarm that comes again is the same trouble. */
export const repeatWithinMs = 300_000

/** So many occurrences within so long: ISA-18.2 counts three in a minute as chattering. */
const chatters: readonly { kind: AlarmChatter; count: number; withinMs: number }[] = [
  { kind: 'chattering', count: 3, withinMs: 60_000 },
  { kind: 'flapping', count: 5, withinMs: 1_800_000 },
]
/** As many moments as the rules above look at. */
const recentKept = Math.max(...chatters.map(({ count }) => count))

/** A trouble by value may go on for ever, and have another value each time. */
const valuesKept = 64

export interface Occurrence {
  id: string
  /** As the database writes it, to the microsecond. */
  at: string
  atMs: number
  recoveredAtMs: number | null
  firstValue: string
  /** The last one other than zero. */
  value: string
}

/** Episodes that are one trouble, as far as they are known. */
export interface Trouble {
  first: { id: string; at: string }
  last: { id: string; at: string; atMs: number; recoveredAtMs: number | null }
  count: number
  /** The bits of all as one value; of an alarm by value the last of its values, those of the newest episode at the end. */
  seen: string[]
  /** The moments of the latest, oldest first. */
  recentMs: number[]
  chatter: AlarmChatter | null
}

const begun = (occurrence: Occurrence, isByValue: boolean): Trouble => ({
  first: occurrence,
  last: occurrence,
  count: 1,
  seen: seenIn([], occurrence, isByValue),
  recentMs: [occurrence.atMs],
  chatter: null,
})

function seenIn(known: readonly string[], { firstValue, value }: Occurrence, isByValue: boolean): string[] {
  if (isByValue) {
    const own = [...new Set([firstValue, value])]
    return [...known.filter((one) => !own.includes(one)), ...own].slice(-valuesKept)
  }
  return [String([...known, firstValue, value].reduce((bits, one) => bits | BigInt(one), 0n))]
}

/** Whether the occurrence is about what the trouble is about: one of its values, or one of its bits. */
const isAbout = ({ seen }: Trouble, { firstValue }: Occurrence, isByValue: boolean) =>
  isByValue ? seen.includes(firstValue) : seen.some((bits) => (BigInt(bits) & BigInt(firstValue)) !== 0n)

/** Whether it is the trouble come again. A clock that was set back does not undo a recovery. */
export function isRepeatOf(trouble: Trouble, occurrence: Occurrence, isByValue: boolean): boolean {
  const { recoveredAtMs } = trouble.last
  return (
    recoveredAtMs !== null &&
    occurrence.atMs - recoveredAtMs <= repeatWithinMs &&
    isAbout(trouble, occurrence, isByValue)
  )
}

/** The worst of what was and what the moments show. */
export function chatterOf(before: AlarmChatter | null, recentMs: readonly number[]): AlarmChatter | null {
  const found = chatters.find(
    ({ kind, count, withinMs }) =>
      kind === before ||
      (recentMs.length >= count && (recentMs.at(-1) ?? 0) - (recentMs.at(-count) ?? 0) <= withinMs),
  )
  return found?.kind ?? null
}

function joined(trouble: Trouble, occurrence: Occurrence, isByValue: boolean): Trouble {
  const recentMs = [...trouble.recentMs, occurrence.atMs].slice(-recentKept)
  return {
    first: trouble.first,
    last: occurrence,
    count: trouble.count + 1,
    seen: seenIn(trouble.seen, occurrence, isByValue),
    recentMs,
    chatter: chatterOf(trouble.chatter, recentMs),
  }
}

/**
 * The troubles that have grown by these later occurrences of the same semaphore, earliest first. Where an occurrence is
 * about two of them, it is the one that recovered last.
 */
export function foldOccurrences(
  known: readonly Trouble[],
  occurrences: readonly Occurrence[],
  isByValue: boolean,
): Trouble[] {
  const troubles = [...known]
  const grown = new Map<string, Trouble>()
  for (const occurrence of occurrences) {
    const same = troubles
      .filter((trouble) => isRepeatOf(trouble, occurrence, isByValue))
      .sort((a, b) => a.last.atMs - b.last.atMs)
      .at(-1)
    if (!same) {
      troubles.push(begun(occurrence, isByValue))
      continue
    }
    const next = joined(same, occurrence, isByValue)
    troubles[troubles.indexOf(same)] = next
    grown.set(next.first.id, next)
  }
  return [...grown.values()]
}
