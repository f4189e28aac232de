import { expect, it } from 'vitest'
import { dayWords, isKnown } from './overview.words.ts'

it("a day's text counts every alarm, including those without a level", () => {
  expect(dayWords({ day: '2026-11-21', count: 1234, levels: [2, 0, 1200, 0] }, 9)).toBe(
    '2026-11-21：1,234 条（紧急 2，次要 1,200，未定级 32），上周同日 9 条',
  )
  expect(dayWords({ day: '2026-11-20', count: 0, levels: [0, 0, 0, 0] })).toBe('2026-11-20：0 条')
})

it('a region where no device was ever connected is not shown until it has an alarm', () => {
  expect(isKnown({ onlineCount: 0, offlineCount: 0, alarmCount: 0 })).toBe(false)
  expect(isKnown({ onlineCount: 0, offlineCount: 1, alarmCount: 0 })).toBe(true)
  expect(isKnown({ onlineCount: 0, offlineCount: 0, alarmCount: 2 })).toBe(true)
})
