import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AttemptRule, nextAttempt } from './attempts.ts'

const now = new Date('2026-11-22T08:00:00Z')
const later = (ms: number) => new Date(now.getTime() + ms)
const rule: AttemptRule = { maxAttempts: 3, intervalMs: 60_000 }

describe('what follows an attempt', () => {
  test('another one after the interval, while attempts are left', () => {
    expect(nextAttempt({ attempts: 1, deadline: null }, rule, now)).toEqual({
      kind: 'again',
      at: later(60_000),
    })
  })

  test('the deadline after the last attempt, or nothing without a deadline', () => {
    const deadline = later(3_600_000)
    expect(nextAttempt({ attempts: 3, deadline }, rule, now)).toEqual({ kind: 'awaitDeadline', at: deadline })
    expect(nextAttempt({ attempts: 3, deadline: null }, rule, now)).toEqual({ kind: 'over' })
  })

  test('no attempt at or after the deadline', () => {
    const deadline = later(60_000)
    expect(nextAttempt({ attempts: 1, deadline }, rule, now)).toEqual({ kind: 'awaitDeadline', at: deadline })
    expect(nextAttempt({ attempts: 1, deadline: now }, rule, now)).toEqual({ kind: 'over' })
  })

  test('growing intervals up to the maximum', () => {
    const growing = { ...rule, maxAttempts: 9, growth: 2, longestIntervalMs: 300_000 }
    const intervals = [1, 2, 3, 4, 8].map((attempts) => {
      const next = nextAttempt({ attempts, deadline: null }, growing, now)
      return next.kind === 'again' ? next.at.getTime() - now.getTime() : null
    })
    expect(intervals).toEqual([60_000, 120_000, 240_000, 300_000, 300_000])
  })

  test('jitter stays within its share of the interval, and every time is in the future and before the deadline', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 86_400_000 }),
        fc.integer({ min: 1, max: 86_400_000 }),
        fc.double({ min: 0, max: 0.9, noNaN: true }),
        fc.double({ min: 0, max: 0.999_999, noNaN: true }),
        (attempts, intervalMs, deadlineInMs, jitter, random) => {
          const next = nextAttempt(
            { attempts, deadline: later(deadlineInMs) },
            { maxAttempts: 10, intervalMs, jitter },
            now,
            () => random,
          )
          if (next.kind === 'over') throw new Error('the deadline is ahead')
          const inMs = next.at.getTime() - now.getTime()
          expect(inMs).toBeLessThanOrEqual(deadlineInMs)
          if (next.kind !== 'again') return
          expect(inMs).toBeGreaterThanOrEqual(Math.floor(intervalMs * (1 - jitter)))
          expect(inMs).toBeLessThanOrEqual(Math.ceil(intervalMs * (1 + jitter)))
        },
      ),
    )
  })
})
