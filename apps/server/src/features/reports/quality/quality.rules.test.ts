import { alarmTargets } from '@voltkeep/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { adviceFor, floodsOf, loadOf } from './quality.rules.ts'

const windows = fc.array(fc.integer({ min: 0, max: 25 }), { maxLength: 300 })

/** Whether each ten minutes belong to a flood, looked up from the last ones that decided it. */
function isInFlood(counts: readonly number[], index: number): boolean {
  for (let back = index; back >= 0; back -= 1) {
    if ((counts[back] ?? 0) > alarmTargets.floodBegins) return true
    if ((counts[back] ?? 0) < alarmTargets.floodEnds) return false
  }
  return false
}

describe('floods', () => {
  test('are the ten minutes that a look back finds flooded, in stretches', () => {
    fc.assert(
      fc.property(windows, (counts) => {
        const floods = floodsOf(counts)
        const flooded = counts.map((_, index) => floods.some(({ from, to }) => from <= index && index < to))
        expect(flooded).toEqual(counts.map((_, index) => isInFlood(counts, index)))
        for (const { from, to, count, peak } of floods) {
          const own = counts.slice(from, to)
          expect(count).toBe(own.reduce((sum, n) => sum + n, 0))
          expect(peak).toBe(Math.max(...own))
        }
      }),
    )
  })

  test('end where fewer than five come, and begin anew at once with more than ten', () => {
    expect(floodsOf([10, 11, 5, 4, 12, 3])).toEqual([
      { from: 1, to: 3, count: 16, peak: 11 },
      { from: 4, to: 5, count: 12, peak: 12 },
    ])
  })

  test('are summed up in the load, whose peak counts ten minutes outside of floods, too', () => {
    expect(loadOf([9, 0, 3])).toEqual({ peak: 9, floodCount: 0, floodWindows: 0 })
    expect(loadOf([11, 6, 0, 20])).toEqual({ peak: 20, floodCount: 2, floodWindows: 3 })
  })
})

test('the advice is about what is worst of an alarm', () => {
  const actor = { level: 3, count: 100, share: 0.02, chatteringCount: 0, standingCount: 0 }
  const told = [
    adviceFor({ ...actor, level: null }),
    adviceFor({ ...actor, chatteringCount: 20, standingCount: 9, level: 1 }),
    adviceFor({ ...actor, chatteringCount: 19, standingCount: 5, level: 1 }),
    adviceFor({ ...actor, level: 1 }),
    adviceFor({ ...actor, share: 0.3 }),
    adviceFor({ ...actor, share: 0.06 }),
    adviceFor(actor),
  ]
  expect(told.map((sentence) => sentence.slice(0, 4))).toEqual([
    '数据字典',
    '反复抖动',
    '长时间不',
    '一级告警',
    '占比过高',
    '占比偏高',
    '逐台查明',
  ])
})
