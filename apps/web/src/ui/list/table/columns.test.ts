import { expect, test } from 'vitest'
import type { Column } from '../DataTable.tsx'
import { arrange, moved, shownOf, toggled } from './columns.ts'

const column = (key: string, fixed?: 'left' | 'right'): Column<unknown> => ({
  key,
  title: key,
  render: () => key,
  ...(fixed ? { fixed } : {}),
})
const columns = [
  column('index', 'left'),
  column('code', 'left'),
  column('name'),
  column('region'),
  column('time'),
  column('operation', 'right'),
]
const keys = (all: readonly Column<unknown>[]) => all.map(({ key }) => key).join(' ')

test('without a choice the columns stand as on the page', () => {
  expect(keys(shownOf(arrange(columns)))).toBe('index code name region time operation')
})

test('the middle ones are moved and hidden; the outer ones stay', () => {
  const choice = { order: ['time', 'operation', 'index', 'name', 'region'], hidden: ['name', 'code'] }
  expect(keys(shownOf(arrange(columns, choice)))).toBe('index code time region operation')
})

test('a column that is newer than the choice follows the one that it follows on the page', () => {
  expect(keys(shownOf(arrange(columns, { order: ['time', 'name'], hidden: [] })))).toBe(
    'index code time name region operation',
  )
  expect(keys(shownOf(arrange(columns, { order: ['time', 'region'], hidden: [] })))).toBe(
    'index code name time region operation',
  )
})

test('a column that is there no longer leaves no gap', () => {
  expect(keys(shownOf(arrange(columns, { order: ['gone', 'time'], hidden: ['gone'] })))).toBe(
    'index code name region time operation',
  )
})

test('without fixed columns the first one stays', () => {
  const plain = [column('a'), column('b'), column('c')]
  expect(keys(shownOf(arrange(plain, { order: ['c', 'b', 'a'], hidden: ['a'] })))).toBe('a c b')
})

test('moving stops at the ends, and hiding keeps the place', () => {
  const all = arrange(columns)
  expect(moved(all, 'region', -1)).toEqual({ order: ['region', 'name', 'time'], hidden: [] })
  expect(moved(all, 'time', 1)).toEqual({ order: ['name', 'region', 'time'], hidden: [] })
  const without = toggled(all, 'region')
  expect(without).toEqual({ order: ['name', 'region', 'time'], hidden: ['region'] })
  expect(toggled(arrange(columns, without), 'region').hidden).toEqual([])
})
