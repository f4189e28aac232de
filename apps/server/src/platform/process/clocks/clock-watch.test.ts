import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClockComparison, watchClock } from './clock-watch.ts'

/** Both clocks of a machine, set by hand. */
const clocks = { wallMs: 0, steadyMs: 0 }
const pass = (ms: number) => {
  clocks.wallMs += ms
  clocks.steadyMs += ms
  vi.advanceTimersByTime(ms)
}
const reading = { wall: () => clocks.wallMs, steady: () => clocks.steadyMs }
const day = 86_400_000

beforeEach(() => {
  vi.useFakeTimers()
  Object.assign(clocks, { wallMs: Date.parse('2026-11-24T10:00:00+08:00'), steadyMs: 5_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

test('a clock that is set is told once for each time, by how much, ahead and back', () => {
  const jumps: number[] = []
  const stop = watchClock((byMs) => jumps.push(byMs), reading)
  pass(60_000)
  expect(jumps).toEqual([])
  clocks.wallMs += 40 * day
  pass(10_000)
  expect(jumps).toEqual([40 * day])
  clocks.wallMs -= 40 * day
  pass(10_000)
  expect(jumps).toEqual([40 * day, -40 * day])
  stop()
})

test('a clock that is corrected little by little has not jumped', () => {
  const jumped = vi.fn()
  const stop = watchClock(jumped, reading)
  for (let second = 0; second < 600; second += 1) {
    clocks.wallMs += 5
    pass(1_000)
  }
  expect(jumped).not.toHaveBeenCalled()
  stop()
})

test('a process that was busy for a minute has not seen a jump, a machine that slept has', () => {
  const compare = createClockComparison(reading.steady)
  compare(clocks.wallMs)
  pass(60_000)
  expect(compare(clocks.wallMs)).toBe(0)
  // The steady clock stands still meanwhile.
  clocks.wallMs += 3_600_000
  expect(compare(clocks.wallMs)).toBe(3_600_000)
})

test('the time that a reading was on its way is no jump', () => {
  const compare = createClockComparison(reading.steady)
  compare(clocks.wallMs)
  clocks.steadyMs += 4_000
  expect(compare(clocks.wallMs, 4_000)).toBe(0)
})
