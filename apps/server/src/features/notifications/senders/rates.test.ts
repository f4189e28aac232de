import { expect, test } from 'vitest'
import { rates, refilled, take } from './rates.ts'

const rate = rates.wecom

test('a storm sends no more than the rate in any minute, and its critical messages go on', () => {
  let bucket = { tokens: rate.burst, atMs: 0 }
  const sentAtMs: number[] = []
  let criticalAtMs = 0
  for (let nowMs = 0; nowMs < 600_000; nowMs += 250) {
    const isCritical = nowMs % 20_000 === 0
    bucket = refilled(bucket, rate, nowMs)
    const taken = take(bucket, rate, isCritical)
    if ('waitMs' in taken) {
      expect(isCritical).toBe(false)
      continue
    }
    bucket = taken.left
    sentAtMs.push(nowMs)
    if (isCritical) criticalAtMs = nowMs
  }
  for (const fromMs of sentAtMs)
    expect(sentAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + 60_000).length).toBeLessThanOrEqual(18)
  expect(criticalAtMs).toBe(580_000)
})

test('says how long it takes until there is a token', () => {
  const bucket = { tokens: 3.5, atMs: 0 }
  expect(take(bucket, rate, true)).toEqual({ left: { tokens: 2.5, atMs: 0 } })
  const waited = take(bucket, rate, false)
  const waitMs = 'waitMs' in waited ? waited.waitMs : 0
  expect(take(refilled(bucket, rate, waitMs - 2), rate, false)).toHaveProperty('waitMs')
  expect(take(refilled(bucket, rate, waitMs), rate, false)).toHaveProperty('left')
})

test('a clock that is set back gives nothing, and none is lost', () => {
  expect(refilled({ tokens: 3, atMs: 1_000_000 }, rate, 0)).toEqual({ tokens: 3, atMs: 0 })
  expect(refilled({ tokens: 3, atMs: 0 }, rate, 10 * 60_000).tokens).toBe(rate.burst)
})
