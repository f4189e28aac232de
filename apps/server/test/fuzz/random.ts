/** The same numbers for the same seed (mulberry32). */
export interface Random {
  /** A whole number from 0, less than `end`. */
  below(end: number): number
  chance(share: number): boolean
  pick<T>(list: readonly T[]): T | undefined
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (end: number) => Math.floor(next() * end)
  return { below, chance: (share) => next() < share, pick: (list) => list[below(list.length)] }
}
