import { expect, test } from 'vitest'
import { createRate } from './sending.ts'

test('a rate is that of the last three seconds', () => {
  let ms = 0
  const rateAt = createRate(() => ms)
  const after = (stepMs: number, bytes: number) => {
    ms += stepMs
    return rateAt(bytes)
  }
  expect(rateAt(0)).toBe(0)
  expect(after(1_000, 500)).toBe(500)
  expect(after(1_000, 1_000)).toBe(500)
  expect(after(1_000, 3_000)).toBe(1_000)
  // What came before the three seconds no longer counts.
  expect(after(3_000, 6_000)).toBe(1_000)
  expect(after(3_000, 6_000)).toBe(0)
})

test('a line that was silent for long has the rate of that silence', () => {
  let ms = 0
  const rateAt = createRate(() => ms)
  ms = 10_000
  expect(rateAt(5_000)).toBe(500)
})
