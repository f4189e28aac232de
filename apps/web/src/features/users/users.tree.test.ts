import type { OrganizationNode } from '@voltkeep/contract/organizations'
import { expect, it } from 'vitest'
import { closedAtFirst, linesOf } from './users.tree.ts'

const node = (name: string, children: OrganizationNode[] = []) =>
  ({ id: name, name, parentId: '0', code: name, children }) as unknown as OrganizationNode
const tree = [node('平台', [node('华东厂', [node('苏州分厂')]), node('华南厂', [node('深圳Lab')])])]
const shown = (keyword: string, closed: string[] = []) =>
  linesOf(tree, keyword, new Set(closed)).map(({ name, depth }) => `${depth} ${name}`)

it('shows the whole tree, except what is below a collapsed organization', () => {
  expect(shown('')).toEqual(['0 平台', '1 华东厂', '2 苏州分厂', '1 华南厂', '2 深圳Lab'])
  expect(shown('', ['华东厂'])).toEqual(['0 平台', '1 华东厂', '1 华南厂', '2 深圳Lab'])
  expect(linesOf(tree, '', new Set(['平台']))[0]).toMatchObject({ hasChildren: true, isOpen: false })
})

it('shows the matches of a keyword with all their ancestors, collapsed or not', () => {
  expect(shown(' lab ', ['华南厂'])).toEqual(['0 平台', '1 华南厂', '2 深圳Lab'])
  expect(shown('华东')).toEqual(['0 平台', '1 华东厂'])
  expect(shown('没有')).toEqual([])
})

it('expands two levels of a large tree initially, and the path to the selected organization', () => {
  const companies = Array.from({ length: 120 }, (_, at) => node(`c${at}`, [node(`b${at}`)]))
  const large = [node('top', companies)]
  expect(closedAtFirst(large, undefined).size).toBe(120)
  expect(closedAtFirst(large, 'b7').has('c7')).toBe(false)
  expect(closedAtFirst(large, 'b7').size).toBe(119)
  expect(closedAtFirst([node('top', companies.slice(0, 50))], undefined).size).toBe(0)
})
