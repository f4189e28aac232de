import { expect, test } from 'vitest'
import {
  alignedOf,
  aloneOf,
  axesOf,
  type ChartPoint,
  type ChartSeries,
  decimalsOf,
  extentOf,
  marksAt,
  mergedSpans,
  pointNear,
  tableOf,
  unheardOf,
  valueText,
} from './chart.data.ts'

const point = (time: number, value: number, spread = 0): ChartPoint => [
  time,
  value - spread,
  value + spread,
  value,
  value,
]
const series = (key: string, points: ChartSeries['points'], unit: string | null = '℃'): ChartSeries => ({
  key,
  name: key,
  unit,
  points,
})

test('curves share one axis; a gap stands between its neighbours, and a time of others is none', () => {
  const { times, columns } = alignedOf([
    series('a', [point(0, 1), null, point(10, 2)]),
    series('b', [point(3, 7, 2)]),
  ])
  expect(times).toEqual([0, 3, 5, 10])
  expect(columns[0]?.mean).toEqual([1, null, null, 2])
  expect(columns[1]?.least).toEqual([undefined, 5, undefined, undefined])
  expect(columns[1]?.greatest).toEqual([undefined, 9, undefined, undefined])
})

test('a gap holds over the times of other curves in it, so that no part of a line stands there', () => {
  const { times, columns } = alignedOf([
    series('a', [point(0, 1), null, point(10, 2), point(14, 2)]),
    series('b', [point(2, 7), point(8, 7), point(12, 7)]),
  ])
  expect(times).toEqual([0, 2, 5, 8, 10, 12, 14])
  expect(columns[0]?.mean).toEqual([1, null, null, null, 2, undefined, 2])
})

test('no line goes through offline time without points, and one goes on through points that came later', () => {
  const offline = (start: number, end: number | null) => ({
    type: 'offline' as const,
    id: String(start),
    name: '',
    start,
    end,
  })
  const curve = series('a', [point(0, 1), point(10, 1), point(20, 1), point(30, 1), null, point(50, 1)])
  expect(unheardOf(curve, [offline(2, 5)])).toEqual([[2, 5]])
  expect(unheardOf(curve, [offline(8, 26)])).toEqual([
    [8, 10],
    [20, 26],
  ])
  expect(unheardOf(curve, [offline(32, 40)])).toEqual([])
  expect(unheardOf(curve, [offline(25, null)])).toEqual([[25, 30]])
  expect(unheardOf(curve, [{ ...offline(2, 5), type: 'alarm' }])).toEqual([])
})

test('spans that touch are one', () => {
  expect(
    mergedSpans([
      [8, 9],
      [0, 5],
      [5, 6],
      [1, 2],
    ]),
  ).toEqual([
    [0, 6],
    [8, 9],
  ])
})

test('a point between two gaps stands alone, also where one of them is offline time', () => {
  const aligned = alignedOf([
    series('a', [
      point(0, 1),
      null,
      point(10, 2),
      null,
      point(20, 3),
      point(30, 3),
      point(40, 3),
      null,
      point(60, 3),
    ]),
    series('b', [point(9, 0), point(25, 0)]),
  ])
  const timesOf = (unheard: [number, number][]) =>
    aloneOf(aligned.times, aligned.columns[0]?.mean ?? [], unheard).map((at) => aligned.times[at])
  expect(timesOf([])).toEqual([0, 10, 60])
  expect(timesOf([[30, 40]])).toEqual([0, 10, 40, 60])
  expect(timesOf([[31, 39]])).toEqual([0, 10, 60])
})

test('gaps at an end and in a row draw nothing', () => {
  expect(alignedOf([series('a', [null, point(1, 1), null, null, point(9, 1), null])]).times).toEqual([1, 9])
})

test('the value at a moment is that of the nearest point, and none in a gap', () => {
  const curve = series('a', [point(0, 1), point(10, 2), null, point(100, 3), point(110, 4)])
  expect(pointNear(curve, 4)?.[3]).toBe(1)
  expect(pointNear(curve, 6)?.[3]).toBe(2)
  expect(pointNear(curve, 50)).toBeUndefined()
  expect(pointNear(curve, 100)?.[3]).toBe(3)
  expect(pointNear(curve, 300)).toBeUndefined()
  expect(pointNear(series('b', []), 0)).toBeUndefined()
})

test('the extent takes the least and the greatest of the buckets, not of their means', () => {
  expect(extentOf(series('a', [point(0, 5, 1), null, point(10, 6, 4)]))).toEqual({
    least: 2,
    leastAt: 10,
    greatest: 10,
    greatestAt: 10,
    last: 6,
  })
  expect(extentOf(series('a', [null]))).toBeUndefined()
})

test('marks are found within their span, moments within reach, and what goes on at any later time', () => {
  const marks = [
    { type: 'alarm' as const, id: '1', name: 'A', start: 10, end: 20 },
    { type: 'upgrade' as const, id: '2', name: 'B', start: 30, end: null },
    { type: 'command' as const, id: '3', name: 'C', start: 40, end: 40 },
  ]
  const at = (time: number) => marksAt(marks, time, 2).map(({ id }) => id)
  expect(at(15)).toEqual(['1'])
  expect(at(27)).toEqual([])
  expect(at(29)).toEqual(['2'])
  expect(at(41)).toEqual(['2', '3'])
  expect(at(43)).toEqual(['2'])
})

test('a table has a row a time, newest first', () => {
  expect(tableOf([series('a', [point(0, 1), null, point(9, 2)]), series('b', [point(9, 3)])])).toEqual([
    { time: 9, points: [point(9, 2), point(9, 3)] },
    { time: 0, points: [point(0, 1), undefined] },
  ])
})

test('each unit is an axis once, and switches have one of their own', () => {
  const isSwitch = true
  const axes = axesOf([
    series('a', [], '%'),
    series('b', [], null),
    { ...series('s', [], null), isSwitch },
    series('c', [], '%'),
    { ...series('t', [], null), isSwitch },
  ])
  expect(axes.map(({ unit, isOfSwitches }) => [unit, isOfSwitches])).toEqual([
    ['%', false],
    ['', false],
    ['', true],
  ])
})

test.each([
  [1234.56, '1235'],
  [228.44, '228.4'],
  [5.678, '5.68'],
  [20, '20'],
  [-93, '-93'],
])('%f is written %s', (value, text) => {
  expect(valueText(value)).toBe(text)
})

test('the values of a curve can be written with as many decimals as the longest of them', () => {
  const decimals = decimalsOf(series('a', [point(0, 26), null, point(1, 24.5)]))
  expect([26, 24.5].map((value) => valueText(value, decimals))).toEqual(['26.0', '24.5'])
  expect(decimalsOf(series('b', [point(0, 26)]))).toBe(0)
  expect(decimalsOf(series('c', []))).toBe(0)
})
