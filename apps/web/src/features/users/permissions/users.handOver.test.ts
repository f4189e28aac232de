import type { RegionNode } from '@voltkeep/contract/regions'
import { expect, test } from 'vitest'
import { entitiesOf } from './permissions.entities.ts'
import { handOverText, sightWords } from './users.handOver.ts'

const region = (value: string, label: string, childrens: RegionNode[] = []) =>
  ({ value, label, childrens }) as unknown as RegionNode
const known = {
  regions: [region('86', '中国', [region('31', '上海市', [region('3101', '黄浦区')])])],
  operators: ['甲', '乙', '丙', '丁'].map((name, at) => ({ id: String(at + 1), name })),
  equipTypes: [{ id: '7', name: '换电柜' }],
}

test('a user’s data permissions are listed by name: regions, operators, types', () => {
  const chosen = entitiesOf({ ET: ['7'], O: ['2'], R: ['31', '3101'] })
  expect(sightWords(chosen, known)).toEqual(['上海市、黄浦区', '乙', '换电柜'])
})

test('of many operators three are named, with the total number', () => {
  expect(sightWords(entitiesOf({ O: ['1', '2', '3', '4'] }), known)).toEqual(['甲、乙、丙等 4 个'])
})

test('an entry without a name is given by its id, and no entries give an empty text', () => {
  expect(sightWords(entitiesOf({ O: ['99'], R: ['nowhere'] }), known)).toEqual(['nowhere', '99'])
  expect(sightWords([], known)).toEqual([])
})

test('the summary is a message with a line per fact', () => {
  expect(
    handOverText([
      ['登录名', 'zhangsan'],
      ['初始密码', 'Volt-2026（首次登录须修改）'],
    ]),
  ).toBe('登录名：zhangsan\n初始密码：Volt-2026（首次登录须修改）')
})
