/** Random numbers that are the same for the same seed. */
export interface Random {
  /** In [0, 1). */
  next(): number
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** Exponentially distributed with the given mean: the time between independent events. */
  gap(mean: number): number
  /** An independent source for one part of the run: draws from other sources do not change its numbers. */
  fork(name: string): Random
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  // mulberry32: 32 bits of state; good enough for a simulation.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: <T>(items: readonly T[]): T => {
      if (items.length === 0) throw new RangeError('nothing to pick from')
      return items[between(0, items.length - 1)] as T
    },
    gap: (mean) => -Math.log(1 - next()) * mean,
    fork: (name) => createRandom(hashOf(`${seed}/${name}`)),
  }
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
