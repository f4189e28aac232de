// Steps of length, by which an exact quantile is found: the numbers of each step say in which one it lies, and then that
// step alone is read.

/** Where steps begin, in seconds: each by a sixteenth above the one before. */
export const stepBounds: readonly number[] = boundsUpTo(2 ** 31)

function boundsUpTo(end: number): number[] {
  const bounds: number[] = []
  for (let at = 0; at < end; at = Math.max(at + 1, Math.floor((at * 17) / 16))) bounds.push(at)
  return bounds
}

/** The place of the quantile in the order, from 1, as percentile_disc counts. */
export const rankOf = (share: number, count: number): number => Math.max(1, Math.ceil(share * count))

/** In which step the place lies, and the place within it. */
export function stepAt(
  counts: ReadonlyMap<number, number>,
  rank: number,
): { step: number; rank: number } | null {
  let before = 0
  for (const [step, n] of [...counts].sort(([a], [b]) => a - b)) {
    if (before + n >= rank) return { step, rank: rank - before }
    before += n
  }
  return null
}

/** The value at a place, of values with their numbers. */
export function valueAt(values: ReadonlyMap<number, number>, rank: number): number | null {
  return stepAt(values, rank)?.step ?? null
}
