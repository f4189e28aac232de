import type { ReadingRow } from '@voltkeep/contract/readings'
import { expect, test } from 'vitest'
import { groupsOf } from './readings.groups.ts'

const reading = (key: string, unit: string | null): ReadingRow => ({
  key,
  name: key,
  unit,
  value: 1,
  time: '2026-11-24 08:00:00',
  hasHistory: true,
})

test('readings are grouped by what they measure, in a fixed order', () => {
  const groups = groupsOf([
    reading('信号强度', 'dBm'),
    reading('换电次数', null),
    reading('柜内温度', '℃'),
    reading('输入电压', 'V'),
    reading('输入电流', 'A'),
  ])
  expect(groups.map(({ title, readings }) => [title, readings.map(({ key }) => key)])).toEqual([
    ['电气', ['输入电压', '输入电流']],
    ['温湿度', ['柜内温度']],
    ['通信', ['信号强度']],
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
