import type { UpgradeRule } from '@voltkeep/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { failureNote, failuresOf, isExcessive, isHarmless } from './stages.failures.ts'
import { noTargets } from './tally.queries.ts'

const rule = { failurePercent: 20, minSample: 5 } as UpgradeRule
const figuresOf = (counts: Partial<typeof noTargets>, underWay = 0) =>
  failuresOf(rule, { ...noTargets, ...counts }, underWay)
const isStopped = (counts: Partial<typeof noTargets>, underWay = 0) =>
  isExcessive(figuresOf(counts, underWay))

describe('too many failures', () => {
  test('are more than the share of those that have begun', () => {
    expect(isStopped({ succeeded: 8, failed: 2 })).toBe(false)
    expect(isStopped({ succeeded: 7, failed: 3 })).toBe(true)
  })

  test('are refusals and silence, too, and nothing that was skipped, cancelled or has not begun', () => {
    expect(isStopped({ succeeded: 7, failed: 1, refused: 1, timedOut: 1 })).toBe(true)
    expect(isStopped({ succeeded: 8, failed: 2, skipped: 50, cancelled: 50, waiting: 50 })).toBe(false)
    expect(isStopped({ succeeded: 7, failed: 3, skipped: 50, cancelled: 50, waiting: 50 })).toBe(true)
  })

  test('are not the first five answers of a thousand devices, which are refusals', () => {
    expect(isStopped({ refused: 5 }, 695)).toBe(false)
    expect(isStopped({ refused: 7, succeeded: 693 })).toBe(false)
  })

  test('are seen before those under way are through, where even their success would not help', () => {
    expect(isStopped({ refused: 20 }, 80)).toBe(false)
    expect(isStopped({ refused: 21 }, 79)).toBe(true)
  })

  test('are none before the sample says something', () => {
    expect(isStopped({ failed: 4 })).toBe(false)
    expect(isStopped({ failed: 5 })).toBe(true)
    expect(isExcessive(failuresOf(rule, undefined, 0))).toBe(false)
  })

  test('stay too many whatever becomes of those under way, and what is harmless is never stopped', () => {
    const some = fc.nat({ max: 300 })
    fc.assert(
      fc.property(some, some, some, some, (failed, succeeded, underWay, helped) => {
        const now = figuresOf({ failed, succeeded }, underWay)
        const good = Math.min(helped, underWay)
        const later = figuresOf({ failed: failed + underWay - good, succeeded: succeeded + good })
        if (isExcessive(now)) expect(isExcessive(later)).toBe(true)
        if (isHarmless(now)) expect(isExcessive(now)).toBe(false)
      }),
    )
  })

  test('are told by the numbers that they are judged by', () => {
    expect(failureNote(figuresOf({ refused: 21 }, 79))).toBe(
      '已开始 100 项中 21 项未成功（21%），超过上限 20%',
    )
  })
})
