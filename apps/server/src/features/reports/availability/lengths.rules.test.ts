import { expect, test } from 'vitest'
import { quantilesOf, unpackLengths } from './lengths.rules.ts'

/** As percentile_disc: the first value at which that share of all is reached. */
const plainly = (values: readonly number[], share: number) => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted.find((_, index) => (index + 1) / sorted.length >= share)
}

let seed = 5
const below = (n: number) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor(seed / 65_536) % n
}
/** From seconds to years. */
const someLength = () => Math.floor(2 ** (below(31_000) / 1000)) - below(2)

test('a quantile is the one of all values put in order, without those that no longer hold', () => {
  for (const size of [1, 2, 3, 10, 99, 1_000, 5_000]) {
    const values = Array.from({ length: size }, someLength)
    const gone = Array.from({ length: below(size + 1) }, someLength)
    const added = Uint32Array.from([...values, ...gone])
    const lengths = {
      added: [added.subarray(0, size / 2), added.subarray(size / 2)],
      removed: [Uint32Array.from(gone)],
    }
    const shares = [0.01, 0.5, 0.9, 1]
    expect(quantilesOf(lengths, shares)).toEqual({
      count: size,
      values: shares.map((share) => plainly(values, share)),
    })
  }
})

test('values next to each other are told apart at every size', () => {
  for (const at of [0, 1, 31, 32, 33, 63, 64, 65, 1_023, 1_024, 86_400, 2 ** 31, 2 ** 32 - 3])
    expect(quantilesOf({ added: [Uint32Array.of(at + 2, at, at + 1)], removed: [] }, [0.3, 0.5, 1])).toEqual({
      count: 3,
      values: [at, at + 1, at + 2],
    })
})

test('of nothing there is no quantile', () => {
  expect(quantilesOf({ added: [], removed: [] }, [0.5])).toBeNull()
  const one = Uint32Array.of(7)
  expect(quantilesOf({ added: [one], removed: [one] }, [0.5])).toBeNull()
})

test('lengths are unpacked as they were packed', () => {
  expect([...unpackLengths(Buffer.from('00000001000151803fffffff', 'hex'))]).toEqual([1, 86_400, 2 ** 30 - 1])
})
