import { expect, test } from 'vitest'
import type { Statistics } from '../packing/index.ts'
import { joined, piecesOf } from './battery-series.rules.ts'

const at = (minutes: number) => new Date(minutes * 60_000)
const stay = (name: string, from: number, to: number | null) => ({
  name,
  startTime: at(from),
  endTime: to === null ? null : at(to),
})
const pieces = (...stays: ReturnType<typeof stay>[]) =>
  piecesOf(stays, { from: at(0), to: at(100) }).map(({ stay: { name }, fromMs, toMs }) => [
    name,
    fromMs / 60_000,
    toMs / 60_000,
  ])

test('stays are cut to the range', () => {
  expect(pieces(stay('a', -50, 10), stay('b', 20, 30), stay('c', 90, null), stay('d', 200, null))).toEqual([
    ['a', 0, 10],
    ['b', 20, 30],
    ['c', 90, 100],
  ])
})

test('of two that claim the battery, the one that began last counts, and behind it the other again', () => {
  expect(pieces(stay('a', 10, null), stay('b', 40, 60))).toEqual([
    ['a', 10, 40],
    ['b', 40, 60],
    ['a', 60, 100],
  ])
})

test('curves have a gap between them, and a stretch that both have a part of once', () => {
  const one = (value: number): Statistics => ({
    min: value,
    max: value,
    mean: value,
    last: value,
    quarters: 1,
  })
  expect(
    joined([
      [],
      [[1, one(5)]],
      [],
      [
        [3, one(7)],
        [4, one(8)],
      ],
    ]),
  ).toEqual([[1, one(5)], null, [3, one(7)], [4, one(8)]])
  expect(
    joined([
      [[1, one(5)]],
      [
        [1, one(7)],
        [2, one(8)],
      ],
    ]),
  ).toEqual([
    [1, { min: 5, max: 7, mean: 6, last: 7, quarters: 2 }],
    [2, one(8)],
  ])
})
