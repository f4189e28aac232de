// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest'
import { lastSuccessMs } from '../wire/call.ts'
import { keepLiveStream, waitBeforeTry } from './stream.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('the wait doubles, is capped at 30 seconds, and is spread over its upper half', () => {
  const longest = (failures: number) => waitBeforeTry(failures, () => 1)
  const shortest = (failures: number) => waitBeforeTry(failures, () => 0)
  expect([1, 2, 3, 4, 5, 6, 60].map(longest)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  expect([1, 6].map(shortest)).toEqual([500, 15_000])
})

test('a call that succeeds ends the wait, but not within its first second', async () => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(1)
  const asked = vi.fn(() => Promise.reject(new TypeError('no server')))
  vi.stubGlobal('fetch', asked)
  const stop = keepLiveStream()
  // The waits after five failures add up to 31 s; the sixth is 30 s.
  await vi.advanceTimersByTimeAsync(31_000)
  expect(asked).toHaveBeenCalledTimes(6)
  lastSuccessMs.set(performance.now())
  await vi.advanceTimersByTimeAsync(1_000)
  expect(asked).toHaveBeenCalledTimes(6)
  lastSuccessMs.set(performance.now())
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toHaveBeenCalledTimes(7)
  lastSuccessMs.set(performance.now() + 1)
  await vi.advanceTimersByTimeAsync(10)
  expect(asked).toHaveBeenCalledTimes(7)
  stop()
})
