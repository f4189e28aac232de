import { expect, test } from 'vitest'
import type { CataloguedReading } from './catalogued.ts'
import { groupsOf } from './readings.groups.ts'

const reading = (key: string, unit: string | null, group: string | null = null): CataloguedReading => ({
  group,
  key,
  name: key,
  unit,
  value: 1,
  time: '2026-11-24 08:00:00',
  hasHistory: true,
  decimals: null,
  isOutside: false,
  isImplausible: false,
})

test('readings are grouped by what they measure where the catalogue knows no group, unknown ones last', () => {
  const groups = groupsOf([
    reading('信号强度', 'dBm'),
    reading('换电次数', null),
    reading('输入电压', 'V'),
    reading('柜内温度', '℃'),
    reading('输入电流', 'A'),
  ])
  expect(groups.map(({ title, readings }) => [title, readings.map(({ key }) => key)])).toEqual([
    ['通信', ['信号强度']],
    ['电气', ['输入电压', '输入电流']],
    ['温湿度', ['柜内温度']],
    ['其他', ['换电次数']],
  ])
})

test('a few need no titles, and those of compartments are not among them', () => {
  expect(groupsOf([reading('电压', 'V'), reading('compartments.3.soc', '%')])).toEqual([
    { title: '', readings: [reading('电压', 'V')] },
  ])
  expect(groupsOf([reading('compartments.3.soc', '%')])).toEqual([])
})

test('readings of one kind need no title', () => {
  expect(
    groupsOf(['a', 'b', 'c', 'd', 'e'].map((key) => reading(key, null))).map(({ title }) => title),
  ).toEqual([''])
})

test('the catalogue’s groups come first, in its order', () => {
  const groups = groupsOf([
    reading('a', null, '供电'),
    reading('b', 'V', '供电'),
    reading('c', '℃', '环境'),
    reading('d', null),
    reading('e', null, '环境'),
  ])
  expect(groups.map(({ title, readings }) => [title, readings.map(({ key }) => key)])).toEqual([
    ['供电', ['a', 'b']],
    ['环境', ['c', 'e']],
    ['其他', ['d']],
  ])
})
