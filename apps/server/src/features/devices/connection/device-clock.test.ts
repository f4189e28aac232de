import { describe, expect, test } from 'vitest'
import { clockAfter, createClocks, isCurrent } from './device-clock.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const device = 7

/** The offsets derived from messages of one device, each `[received at, offset]` in minutes. */
function told(...messages: [number, number][]): (number | null)[] {
  const clocks = createClocks()
  return messages.map(([at, offset]) => {
    const told = clocks.offsetOf(device, 1e12 + at * minuteMs, offset * minuteMs)
    return told === null ? null : told / minuteMs
  })
}

describe('a clock', () => {
  test('that is right or fast is detected with the first message', () => {
    expect(told([0, 0], [1, 60])).toEqual([0, 60])
  })

  test('that is slow is detected after five minutes', () => {
    expect(told([0, -60], [2, -60.1], [4.9, -60], [5, -60], [6, -60])).toEqual([null, null, null, -60, -60])
  })

  test('that is slow is also detected if the device reports twice an hour', () => {
    expect(told([0, -60], [30, -60], [60, -60])).toEqual([null, -60, -60])
  })

  test('that is slow is also detected by messages that are not late', () => {
    expect(told([0, -240], [0, -180], [0, -60], [3, -60], [4, -200], [5, -60])).toEqual([
      null,
      null,
      null,
      null,
      null,
      -60,
    ])
  })

  test('that is corrected is right at once, and one that falls back is detected again', () => {
    expect(told([0, -60], [5, -60], [6, 0], [7, -60], [12, -60])).toEqual([null, -60, 0, null, -60])
    expect(told([0, -60], [5, -60], [6, -300], [11, -300], [16, -300])).toEqual([null, -60, null, null, -300])
  })

  test('that is right is not suspected because of a backlog, whether it comes at once or slowly', () => {
    expect(told([0, -180], [0, -120], [0.02, 0])).toEqual([null, null, 0])
    // Ten events of one minute three hours ago, one sent every two minutes.
    const slowly = Array.from({ length: 10 }, (_, n): [number, number] => [n * 2, -180 - n * 1.9])
    expect(told(...slowly)).toEqual(slowly.map(() => null))
    // One message in each of three connections, an hour apart.
    expect(told([0, -180], [60, -120], [120, -230], [121, 0])).toEqual([null, null, null, 0])
  })
})

test('a message that cannot be late reveals a slow clock at once, until one comes with a smaller delay', () => {
  const clocks = createClocks()
  expect(clocks.offsetOf(device, 0, -hourMs)).toBeNull()
  expect(clocks.offsetOf(device, minuteMs, -2 * hourMs, true)).toBe(-2 * hourMs)
  expect(clocks.offsetOf(device, 2 * minuteMs, -2 * hourMs)).toBe(-2 * hourMs)
  // One message of a backlog.
  expect(clocks.offsetOf(device, 3 * minuteMs, -3 * hourMs)).toBeNull()
  expect(clocks.offsetOf(device, 4 * minuteMs, 0, true)).toBe(0)
  expect(clocks.offsetOf(device, 5 * minuteMs, -2 * hourMs)).toBeNull()
})

describe('a current report', () => {
  /** For messages of one device, each with its offset or `now` if it cannot be late: which are current? */
  function current(...messages: (number | null | { now: number })[]): boolean[] {
    let clockMs: number | null = null
    return messages.map((message) => {
      const isOfNow = typeof message === 'object' && message !== null
      const told = isOfNow ? message.now : message
      clockMs = clockAfter(clockMs, told, isOfNow)
      return isCurrent(clockMs, told)
    })
  }

  test('is recognized by the clock, with any delay within a minute', () => {
    expect(current(0, -30_000, 0)).toEqual([true, true, true])
    expect(current(null, 0, null)).toEqual([false, true, false])
  })

  test('is recognized after a fast clock has become right, slow, or less fast', () => {
    expect(current(4 * minuteMs, 0, -minuteMs)).toEqual([true, true, true])
    expect(current(4 * minuteMs, -hourMs)).toEqual([true, true])
    expect(current(4 * minuteMs, { now: 2 * minuteMs }, 2 * minuteMs)).toEqual([true, true, true])
  })

  test('is not one that a fast clock wrote minutes ago', () => {
    expect(current(4 * minuteMs, 2 * minuteMs, 4 * minuteMs)).toEqual([true, false, true])
  })
})

test('each device has its own clock', () => {
  const clocks = createClocks()
  expect(clocks.offsetOf(1, 0, -hourMs)).toBeNull()
  expect(clocks.offsetOf(2, 0, 0)).toBe(0)
  expect(clocks.offsetOf(1, 5 * minuteMs, -hourMs)).toBe(-hourMs)
})
