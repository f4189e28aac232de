// Quantiles of very many lengths in whole seconds: found by their number in steps, so that a step alone is put in order.

/** Lengths as the database packs them: four bytes each, the highest first. */
export function unpackLengths(bytes: Buffer): Uint32Array {
  const lengths = new Uint32Array(bytes.length / 4)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let index = 0; index < lengths.length; index += 1) lengths[index] = view.getUint32(index * 4)
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
  const places = shares.map((share) => {
    let rank = Math.max(1, Math.ceil(share * count))
    let step = 0
    for (; rank > (steps[step] ?? 0); step += 1) rank -= steps[step] ?? 0
    return { step, rank }
  })
  const numbers = within({ added, removed }, new Set(places.map(({ step }) => step)))
  return { count, values: places.map(({ step, rank }) => valueAt(numbers.get(step) ?? new Map(), rank)) }
}

/** Of each of these steps, how often each of its lengths is there. */
function within({ added, removed }: Lengths, wanted: ReadonlySet<number>): Map<number, Map<number, number>> {
  const isWanted = Uint8Array.from({ length: stepCount + 2 ** bits }, (_, step) => (wanted.has(step) ? 1 : 0))
  const numbers = new Map<number, Map<number, number>>([...wanted].map((step) => [step, new Map()]))
  for (const [arrays, sign] of [
    [added, 1],
    [removed, -1],
  ] as const)
    for (const array of arrays)
      for (const length of array) {
        const step = stepOf(length)
        if (!isWanted[step]) continue
        const own = numbers.get(step)
        own?.set(length, (own.get(length) ?? 0) + sign)
      }
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
