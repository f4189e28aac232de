import type { MenuRecord } from '@voltkeep/contract/menus'
import { expect, test } from 'vitest'
import { findMenu, parentChoices, takesChildren, typesBelow } from './menus.choices.ts'

const menu = (
  id: string,
  type: MenuRecord['type'],
  children: MenuRecord[] = [],
  part: Partial<MenuRecord> = {},
): MenuRecord => ({
  id,
  parentId: '0',
  name: `名称${id}`,
  type,
  path: `path${id}`,
  remark: `remark${id}`,
  icon: null,
  url: null,
  orderNum: 0,
  openType: 0,
  version: 1,
  roleCount: 0,
  children,
  ...part,
})
const tree = [
  menu('1', 'M', [menu('2', 'C', [menu('3', 'F')]), menu('4', 'C')]),
  menu('5', 'C', [], { openType: 1, url: 'https://example.com' }),
]

// proves: rule menu type M
test('directories are offered at the top level only, functions on pages only', () => {
  expect(typesBelow(undefined)).toEqual(['M', 'C'])
  expect(typesBelow(tree[0])).toEqual(['C'])
  expect(typesBelow(tree[0]?.children[0])).toEqual(['F'])
})

test('a function and an external link cannot have children', () => {
  expect(takesChildren(menu('x', 'F'))).toBe(false)
  expect(takesChildren(tree[1] as MenuRecord)).toBe(false)
  expect(takesChildren(menu('x', 'M'))).toBe(true)
})

test('a menu’s own subtree is not offered as its parent', () => {
  const titles = (moved?: string) =>
    JSON.stringify(parentChoices(tree, moved ? { id: moved } : undefined, '顶级')).match(/名称\d/g)
  expect(titles()).toEqual(['名称1', '名称2', '名称4'])
  expect(titles('2')).toEqual(['名称1', '名称4'])
  expect(titles('1')).toBeNull()
})

test('a menu is found at any depth', () => {
  expect(findMenu(tree, '3')?.name).toBe('名称3')
  expect(findMenu(tree, '9')).toBeUndefined()
  expect(findMenu(tree, '0')).toBeUndefined()
})
