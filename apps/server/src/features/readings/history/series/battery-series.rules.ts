// The curve of a battery, made of those of the compartments in which it was. Pure.
import { combined } from '../packing/index.ts'
import type { Bucket } from './series.rules.ts'

/** A stay as far as the curve goes by it. */
export interface StayOfCurve {
  startTime: Date
  /** null: it goes on. */
  endTime: Date | null
}

/** A stretch of time in which the battery was in one compartment. */
export interface Piece<Stay> {
  stay: Stay
  fromMs: number
  toMs: number
}

/**
 * The range as pieces by time. Where two compartments claim the battery, the stay that began last counts, and behind its
 * end the one before again, as the battery's place has it.
 */
export function piecesOf<Stay extends StayOfCurve>(
  stays: readonly Stay[],
  { from, to }: { from: Date; to: Date },
): Piece<Stay>[] {
  const within = stays
    .map((stay) => ({
      stay,
      fromMs: Math.max(from.getTime(), stay.startTime.getTime()),
      toMs: Math.min(to.getTime(), (stay.endTime ?? to).getTime()),
    }))
    .filter(({ fromMs, toMs }) => fromMs < toMs)
    .sort((a, b) => a.stay.startTime.getTime() - b.stay.startTime.getTime())
  const edges = [...new Set(within.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))].sort((a, b) => a - b)
  const pieces: Piece<Stay>[] = []
  for (const [at, fromMs] of edges.slice(0, -1).entries()) {
    const toMs = edges[at + 1] as number
    const here = within.findLast((one) => one.fromMs <= fromMs && one.toMs >= toMs)
    const before = pieces.at(-1)
    if (!here) continue
    if (before && before.stay === here.stay && before.toMs === fromMs) before.toMs = toMs
    else pieces.push({ stay: here.stay, fromMs, toMs })
  }
  return pieces
}

/** The curves of the pieces as one: a gap between two of them, unless both have a part of one stretch. */
export function joined(curves: readonly (readonly Bucket[])[]): Bucket[] {
  const whole: Bucket[] = []
  for (const [first, ...rest] of curves) {
    if (!first) continue
    const last = whole.at(-1)
    const both = last && last[0] === first[0] ? combined([last[1], first[1]]) : null
    if (both) whole[whole.length - 1] = [first[0], both]
    else whole.push(...(last ? [null] : []), first)
    whole.push(...rest)
  }
  return whole
}
