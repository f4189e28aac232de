import { expect, test } from 'vitest'
import { pauseOf } from './pause-reason.ts'

const time = '2026-11-01 08:00:00'

test('a pause stored by an older build is read: from its results if it did not count what had begun', () => {
  const failures = { executed: 5, failed: 2, failurePercent: 20, minSample: 5 }
  const kept = { reason: 'failures', time, note: '5 项中 2 项未成功', failures, gate: { alarmed: 1 } }
  expect(pauseOf(kept)).toEqual({
    ...kept,
    by: null,
    stage: null,
    failures: { ...failures, begun: 5 },
    gate: null,
  })
})

test('an unreadable pause has no figures', () => {
  for (const kept of [null, 7, [], {}, { reason: 'weather', time }, { reason: 'user' }])
    expect(pauseOf(kept)).toBeNull()
})
