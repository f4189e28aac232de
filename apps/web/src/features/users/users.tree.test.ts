import type { OrganizationNode } from '@voltkeep/contract/organizations'
import { expect, it } from 'vitest'
import { linesOf } from './users.tree.ts'

const node = (name: string, children: OrganizationNode[] = []) =>
  ({ id: name, name, parentId: '0', code: name, children }) as unknown as OrganizationNode
const tree = [node('平台', [node('华东厂', [node('苏州分厂')]), node('华南厂', [node('深圳Lab')])])]
const shown = (keyword: string, closed: string[] = []) =>
  linesOf(tree, keyword, new Set(closed)).map(({ name, depth }) => `${depth} ${name}`)

it('shows the whole tree, and nothing under what is closed', () => {
  expect(shown('')).toEqual(['0 平台', '1 华东厂', '2 苏州分厂', '1 华南厂', '2 深圳Lab'])
  expect(shown('', ['华东厂'])).toEqual(['0 平台', '1 华东厂', '1 华南厂', '2 深圳Lab'])
  expect(linesOf(tree, '', new Set(['平台']))[0]).toMatchObject({ hasChildren: true, isOpen: false })
})

it('shows what a keyword names with all above it, closed or not', () => {
  expect(shown(' lab ', ['华南厂'])).toEqual(['0 平台', '1 华南厂', '2 深圳Lab'])
  expect(shown('华东')).toEqual(['0 平台', '1 华东厂'])
  expect(shown('没有')).toEqual([])
})
