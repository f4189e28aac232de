import { expect, test } from 'vitest'
import {
  type Anchor,
  anchorAt,
  type Extent,
  lastAnchor,
  longestPx,
  moved,
  rowPx,
  scrolledPx,
  scrollTopOf,
} from './scrolling.ts'

const extent = (count: number, heightOf: Extent['heightOf'] = () => rowPx): Extent => ({
  count,
  viewPx: 400,
  heightOf,
})

test('scrolling moves over rows of any height, down and up again', () => {
  const uneven = extent(1_000, (place) => (place % 2 === 0 ? 20 : 100))
  const down = moved({ place: 0, above: 0 }, 130, uneven)
  expect(down).toEqual({ place: 2, above: 10 })
  expect(moved(down, -130, uneven)).toEqual({ place: 0, above: 0 })
})

test('it stops at the first row, and where the last row is at the bottom', () => {
  const whole = extent(100)
  expect(moved({ place: 3, above: 5 }, -1_000, whole)).toEqual({ place: 0, above: 0 })
  expect(moved({ place: 3, above: 5 }, 100_000, whole)).toEqual({ place: 80, above: 0 })
  expect(lastAnchor(extent(5))).toEqual({ place: 0, above: 0 })
})

test('the scrolled element is never higher than browsers allow', () => {
  expect(scrolledPx(1_000)).toBe(20_000)
  expect(scrolledPx(100_000_000)).toBe(longestPx)
})

test.each([1_000, 5_000_000])('the scrollbar reaches the first and the last of %i rows', (count) => {
  const whole = extent(count)
  expect(anchorAt(0, whole)).toEqual({ place: 0, above: 0 })
  expect(anchorAt(scrolledPx(count) - whole.viewPx, whole)).toEqual(lastAnchor(whole))
})

test.each([1_000, 5_000_000])('the scrollbar of %i rows is at the anchor', (count) => {
  const whole = extent(count)
  for (const share of [0.1, 0.5, 0.9]) {
    const anchor: Anchor = { place: Math.floor(count * share), above: 7 }
    const back = anchorAt(scrollTopOf(anchor, whole), whole)
    expect(Math.abs(back.place - anchor.place)).toBeLessThanOrEqual(count / longestPx + 1)
  }
})

test('a text that fits does not scroll', () => {
  expect(anchorAt(50, extent(10))).toEqual({ place: 0, above: 0 })
  expect(scrollTopOf({ place: 3, above: 0 }, extent(10))).toBe(0)
})
