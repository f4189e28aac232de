import { expect, test } from 'vitest'
import { bucketsOf, partsOf, unitOf } from './buckets.ts'

const day = (of: string, count: number, levels = [count, 0, 0, 0]) => ({ day: of, count, levels })

test('a month has a bar for each day, also for those without an alarm', () => {
  const bars = bucketsOf('2026-11-01', '2026-11-30', [day('2026-11-01', 1), day('2026-11-30', 2)])
  expect(bars.map(({ count }) => count)).toEqual([1, ...Array(28).fill(0), 2])
  expect(bars.every(({ first, last }) => first === last)).toBe(true)
})

test('a range of one day is one bar', () => {
  expect(bucketsOf('2026-11-05', '2026-11-05', [])).toEqual([
    { first: '2026-11-05', last: '2026-11-05', count: 0, levels: [0, 0, 0, 0] },
  ])
})

test('a quarter has weeks from Monday to Sunday, cut by the range, and no alarm counts twice', () => {
  const alarms = [day('2026-09-01', 3), day('2026-09-06', 1), day('2026-09-07', 5, [0, 5, 0, 0])]
  const bars = bucketsOf('2026-09-01', '2026-11-30', alarms)
  expect(bars[0]).toEqual({ first: '2026-09-01', last: '2026-09-06', count: 4, levels: [4, 0, 0, 0] })
  expect(bars[1]).toEqual({ first: '2026-09-07', last: '2026-09-13', count: 5, levels: [0, 5, 0, 0] })
  expect(bars.at(-1)).toMatchObject({ first: '2026-11-30', last: '2026-11-30' })
})

test('years have months, and begin with the first that has an alarm', () => {
  const bars = bucketsOf('2000-01-01', '2026-11-30', [day('2024-02-29', 7)])
  expect(unitOf('2000-01-01', '2026-11-30')).toBe('month')
  expect(bars[0]).toMatchObject({ first: '2024-02-01', last: '2024-02-29', count: 7 })
  expect(bars.at(-1)).toMatchObject({ first: '2026-11-01', last: '2026-11-30' })
})

test('a short course is shown with the empty days before it', () => {
  const bars = bucketsOf('2026-11-01', '2026-11-30', [day('2026-11-29', 1)])
  expect([bars.length, bars[0]?.first]).toEqual([14, '2026-11-17'])
})

test('what no level has comes last', () => {
  expect(partsOf({ count: 5, levels: [0, 2, 0, 1] })).toEqual([
    { level: 2, n: 2 },
    { level: 4, n: 1 },
    { level: 0, n: 2 },
  ])
})
