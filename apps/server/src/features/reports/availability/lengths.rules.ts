// Quantiles of very many lengths in whole seconds: found by their number in steps, so that a step alone is put in order.

/** Lengths as the database packs them: four bytes each, the highest first. */
export function unpackLengths(bytes: Buffer): Uint32Array {
  const lengths = new Uint32Array(bytes.length / 4)
  for (let index = 0; index < lengths.length; index += 1) lengths[index] = bytes.readUInt32BE(index * 4)
  return lengths
}

/** Lengths that were added up, and those of them that no longer hold. */
export interface Lengths {
  added: Uint32Array[]
  removed: Uint32Array[]
}

const bits = 5
const stepCount = 32 * 2 ** bits

/** Steps ascend with the lengths: up to 2^5 one each, then 32 to each doubling. */
function stepOf(length: number): number {
  const shift = 32 - Math.clz32(length) - bits - 1
  return shift <= 0 ? length : shift * 2 ** bits + (length >>> shift)
}

/** As percentile_disc: the first value at which that share of all is reached. Null of nothing. */
export function quantilesOf(
  { added, removed }: Lengths,
  shares: readonly number[],
): { count: number; values: number[] } | null {
  const steps = new Int32Array(stepCount + 2 ** bits)
  let count = 0
  for (const [arrays, sign] of [
    [added, 1],
    [removed, -1],
  ] as const)
    for (const array of arrays) {
      count += sign * array.length
      for (const length of array) {
        const step = stepOf(length)
        steps[step] = (steps[step] ?? 0) + sign
      }
    }
  if (count <= 0) return null
  const values = shares.map((share) => {
    let rank = Math.max(1, Math.ceil(share * count))
    let step = 0
    for (; rank > (steps[step] ?? 0); step += 1) rank -= steps[step] ?? 0
    return valueAt(within({ added, removed }, step), rank)
  })
  return { count, values }
}

/** How often each length of a step is there. */
function within({ added, removed }: Lengths, step: number): Map<number, number> {
  const numbers = new Map<number, number>()
  for (const [arrays, sign] of [
    [added, 1],
    [removed, -1],
  ] as const)
    for (const array of arrays)
      for (const length of array)
        if (stepOf(length) === step) numbers.set(length, (numbers.get(length) ?? 0) + sign)
  return numbers
}

function valueAt(numbers: ReadonlyMap<number, number>, rank: number): number {
  let before = 0
  for (const [length, n] of [...numbers].sort(([a], [b]) => a - b)) {
    before += n
    if (before >= rank) return length
  }
  throw new Error('the step has the rank')
}
