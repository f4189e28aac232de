import type { UpgradeRule } from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { failuresOf, isExcessive } from './stages.work.ts'
import { noTargets } from './tally.queries.ts'

const rule = { failurePercent: 20, minSample: 5 } as UpgradeRule
const isStopped = (counts: Partial<typeof noTargets>) =>
  isExcessive(failuresOf(rule, { ...noTargets, ...counts }))

describe('too many failures', () => {
  test('are more than the share of those that were executed', () => {
    expect(isStopped({ succeeded: 8, failed: 2 })).toBe(false)
    expect(isStopped({ succeeded: 7, failed: 3 })).toBe(true)
  })

  test('are refusals and silence, too, and nothing that was skipped, cancelled or is under way', () => {
    expect(isStopped({ succeeded: 7, failed: 1, refused: 1, timedOut: 1 })).toBe(true)
    expect(
      isStopped({ succeeded: 8, failed: 2, skipped: 50, cancelled: 50, waiting: 50, installing: 50 }),
    ).toBe(false)
  })

  test('are none before the sample says something', () => {
    expect(isStopped({ failed: 4 })).toBe(false)
    expect(isStopped({ failed: 5 })).toBe(true)
    expect(isExcessive(failuresOf(rule, undefined))).toBe(false)
  })
})
