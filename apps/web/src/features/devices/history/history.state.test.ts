import type { ReadingRow } from '@voltkeep/contract/readings'
import { expect, test } from 'vitest'
import { readLeniently } from '../../../lib/schemaInput.ts'
import { named, rangeOf, showing } from '../../../ui/chart/chart.state.ts'
import { HistorySearch, type HistoryState, keysOf } from './history.state.ts'

const now = new Date(2026, 10, 24, 12, 0, 0)
const state = (search: Record<string, unknown>) => readLeniently(HistorySearch, search) as HistoryState

test('the address names readings, a range and a form', () => {
  expect(state({ keys: '柜内温度,compartments.3.soc', range: '7d', as: 'table' })).toMatchObject({
    keys: ['柜内温度', 'compartments.3.soc'],
    range: '7d',
    as: 'table',
  })
  expect(state({ range: 'forever' })).toMatchObject({ range: '24h', as: 'chart' })
})

test('two times take the place of the named range, up to a year', () => {
  const two = state({ from: '2026-11-20 00:00:00', to: '2026-11-21 00:00:00', range: '1y' })
  expect(rangeOf(two, now)).toEqual({
    start: new Date(2026, 10, 20).getTime() / 1_000,
    end: new Date(2026, 10, 21).getTime() / 1_000,
  })
  const { start, end } = rangeOf(state({ from: '2020-01-01 00:00:00', to: '2026-11-21 00:00:00' }), now)
  expect(end - start).toBe(365 * 86_400)
})

test('a range beyond the present is moved back, and keeps its length', () => {
  const end = now.getTime() / 1_000
  const shown = showing(state({}), { start: end - 600, end: end + 3_000 }, now)
  expect([shown.from, shown.to]).toEqual(['2026-11-24 11:01:00', '2026-11-24 12:01:00'])
  expect(named(shown, '30d')).toMatchObject({ range: '30d', from: undefined, to: undefined })
})

test('without readings in the address, the first figures with a history are shown', () => {
  const reading = (key: string, value: ReadingRow['value'], hasHistory = true): ReadingRow => ({
    key,
    name: key,
    unit: null,
    value,
    time: '2026-11-24 08:00:00',
    hasHistory,
    decimals: null,
    group: null,
    isOutside: false,
    isImplausible: false,
  })
  const readings = [
    reading('版本', 'A1'),
    reading('a', 1),
    reading('b', 2, false),
    reading('c', 3),
    reading('d', 4),
  ]
  expect(keysOf(undefined, readings)).toEqual(['a', 'c'])
  expect(keysOf(['x', 'x'], readings)).toEqual(['x'])
})
