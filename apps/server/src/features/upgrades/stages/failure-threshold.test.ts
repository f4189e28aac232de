import type { UpgradeRule } from '@voltkeep/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { noTargets } from '../targets/tally.queries.ts'
import { failureNote, failuresOf, isExcessive } from './failure-threshold.ts'

const rule = { failurePercent: 20, minSample: 5 } as UpgradeRule
/** Failures of a stage of a thousand devices that is not the last one. */
const figuresOf = (counts: Partial<typeof noTargets>, underWay = 0) =>
  failuresOf(rule, { counts: { ...noTargets, total: 1_000, ...counts }, underWay, isLast: false })
const isStopped = (counts: Partial<typeof noTargets>, underWay = 0) =>
  isExcessive(figuresOf(counts, underWay))

describe('too many failures', () => {
  test('are more than the share of the targets that have begun', () => {
    expect(isStopped({ succeeded: 8, failed: 2 })).toBe(false)
    expect(isStopped({ succeeded: 7, failed: 3 })).toBe(true)
  })

  test('include refusals and silence, but nothing skipped, cancelled or not begun', () => {
    expect(isStopped({ succeeded: 7, failed: 1, refused: 1, timedOut: 1 })).toBe(true)
    expect(isStopped({ succeeded: 8, failed: 2, skipped: 50, cancelled: 50, waiting: 50 })).toBe(false)
    expect(isStopped({ succeeded: 7, failed: 3, skipped: 50, cancelled: 50, waiting: 50 })).toBe(true)
  })

  test('are not the first five of a thousand devices, if these refuse', () => {
    expect(isStopped({ refused: 5 }, 695)).toBe(false)
    expect(isStopped({ refused: 7, succeeded: 693 })).toBe(false)
  })

  test('are detected before running targets end, if even their success would not help', () => {
    expect(isStopped({ refused: 20 }, 80)).toBe(false)
    expect(isStopped({ refused: 21 }, 79)).toBe(true)
  })

  test('are not detected below the sample size', () => {
    expect(isStopped({ failed: 4 })).toBe(false)
    expect(isStopped({ failed: 5 })).toBe(true)
    expect(isExcessive(failuresOf(rule, { counts: undefined, underWay: 0, isLast: false }))).toBe(false)
  })

  test('of a stage smaller than the sample are detected when all of it has begun', () => {
    expect(isStopped({ total: 1, failed: 1 })).toBe(true)
    expect(isStopped({ total: 3, failed: 1 }, 1)).toBe(false)
    expect(isStopped({ total: 3, failed: 1 }, 2)).toBe(true)
    expect(isStopped({ total: 60, skipped: 57, failed: 3 })).toBe(true)
    const counts = { ...noTargets, total: 1, failed: 1 }
    expect(isExcessive(failuresOf(rule, { counts, underWay: 0, isLast: true }))).toBe(false)
  })

  test('remain too many, whatever happens to running targets', () => {
    const some = fc.nat({ max: 300 })
    fc.assert(
      fc.property(some, some, some, some, (failed, succeeded, underWay, helped) => {
        const now = figuresOf({ failed, succeeded }, underWay)
        const good = Math.min(helped, underWay)
        const later = figuresOf({ failed: failed + underWay - good, succeeded: succeeded + good })
        if (isExcessive(now)) expect(isExcessive(later)).toBe(true)
      }),
    )
  })

  test('are reported with the figures of the judgement', () => {
    expect(failureNote(figuresOf({ refused: 21 }, 79))).toBe(
      '已开始 100 项中 21 项未成功（21%），超过上限 20%',
    )
  })
})
