import { describe, expect, test } from 'vitest'
import type { MenuRow } from './menus.queries.ts'
import {
  codesBelow,
  hasRepairPage,
  idsBelow,
  lastOrder,
  normalised,
  pagePaths,
  pathProblems,
  placeProblems,
} from './menus.rules.ts'

const menu = (id: number, parentId: number | null, type: MenuRow['type'], part: Partial<MenuRow> = {}) => ({
  id,
  parentId,
  type,
  name: `菜单${id}`,
  path: `p${id}`,
  remark: `r${id}`,
  icon: null,
  url: null,
  orderNum: id,
  openType: 0 as const,
  ...part,
})

const tree: MenuRow[] = [
  menu(1, null, 'M', { path: '/system' }),
  menu(2, 1, 'C', { path: 'menu', url: '/system/menu/' }),
  ...['menu:list', 'menu:insert', 'menu:update', 'menu:delete'].map((remark, at) =>
    menu(3 + at, 2, 'F', { remark, path: remark }),
  ),
  menu(7, 1, 'C', { path: 'role' }),
  menu(8, 7, 'F', { remark: 'role:list' }),
  menu(9, null, 'M', { path: 'other' }),
  menu(10, null, 'C', { path: '/dashboard' }),
]
const place = (values: MenuRow, id: number | null = null) =>
  placeProblems(tree, values, id).map(({ field, message }) => `${field} ${message}`)

describe('a menu is allowed', () => {
  // proves: rule menu type M
  test('as a directory at the top level only', () => {
    expect(place(menu(0, null, 'M'))).toEqual([])
    expect(place(menu(0, 1, 'M'))).toEqual(['type 目录只能位于顶级'])
  })

  test('as a page at the top level or in a directory', () => {
    expect(place(menu(0, null, 'C'))).toEqual([])
    expect(place(menu(0, 1, 'C'))).toEqual([])
    expect(place(menu(0, 2, 'C'))).toEqual(['parentId 页面只能位于顶级或目录下'])
    expect(place(menu(0, 8, 'C'))).toEqual(['parentId 页面只能位于顶级或目录下'])
  })

  test('as a function on a page', () => {
    expect(place(menu(0, 2, 'F'))).toEqual([])
    for (const parentId of [null, 1, 8]) {
      expect(place(menu(0, parentId, 'F'))).toEqual(['parentId 功能只能位于页面下'])
    }
  })

  test('nowhere below a missing menu, nor below itself', () => {
    expect(place(menu(0, 99, 'C'))).toEqual(['parentId 上级菜单不存在'])
    expect(place(menu(2, 3, 'C'), 2)).toEqual(['parentId 不能移动到自身或其下级'])
    expect(place(menu(2, 2, 'C'), 2)).toEqual(['parentId 不能移动到自身或其下级'])
  })

  test('with another type only where its children remain allowed', () => {
    expect(place(menu(2, null, 'M'), 2)).toEqual(['type 菜单下存在子菜单，不能改为该类型'])
    expect(place(menu(7, 2, 'F'), 7)).toEqual(['type 菜单下存在子菜单，不能改为该类型'])
    expect(place(menu(1, null, 'C'), 1)).toEqual(['type 菜单下存在子菜单，不能改为该类型'])
    expect(place(menu(9, 1, 'C'), 9)).toEqual([])
  })
})

// proves: rule menu component; rule openType
test('a type determines fields: a component for pages only, and the fixed path of an external link', () => {
  expect(normalised(menu(0, null, 'M', { url: 'x' })).url).toBeNull()
  expect(normalised(menu(0, 2, 'F', { url: 'x' })).url).toBeNull()
  expect(normalised(menu(0, null, 'C', { url: 'https://a.cn', openType: 1 }))).toMatchObject({
    path: '/iframe',
    url: 'https://a.cn',
  })
})

test('the menus below a menu, and their codes', () => {
  expect([...idsBelow(tree, 7)]).toEqual([7, 8])
  expect(codesBelow(tree, 1).sort()).toEqual([
    'menu:delete',
    'menu:insert',
    'menu:list',
    'menu:update',
    'role:list',
  ])
  expect(codesBelow(tree, 8)).toEqual(['role:list'])
  expect(lastOrder(tree, 7)).toBe(9)
  expect(lastOrder(tree, 9)).toBe(1)
})

describe('paths', () => {
  test('continue the parent’s path, or are absolute with a slash', () => {
    expect(Object.fromEntries(pagePaths([...tree, menu(11, 9, 'C', { path: 'a/b/' })]))).toEqual({
      2: '/system/menu',
      7: '/system/role',
      10: '/dashboard',
      11: '/other/a/b',
    })
  })

  test('conflict with other pages anywhere in the tree', () => {
    const twin = menu(11, 9, 'C', { path: '/system//role' })
    expect(pathProblems([...tree, twin], 11)).toBe('taken')
    expect(pathProblems([...tree, { ...twin, openType: 1, path: '/iframe' }], 11)).toBeNull()
    expect(pathProblems([...tree, { ...twin, type: 'F', parentId: 7 }], 11)).toBeNull()
  })

  test('move with the directory', () => {
    const moved = [...tree, menu(11, 9, 'C', { path: 'role' })].map((each) =>
      each.id === 9 ? { ...each, path: '/system' } : each,
    )
    expect(pathProblems(moved, 9)).toBe('taken')
  })

  test('of the product itself are not available to menus', () => {
    for (const path of ['/login', '/404', '/iframe', '/', '/api/user', '/assets', '/e-ark']) {
      expect(pathProblems([...tree, menu(11, null, 'C', { path })], 11)).toBe('reserved')
    }
    expect(pathProblems([...tree, menu(11, null, 'C', { path: '/apis' })], 11)).toBeNull()
  })
})

test('the page of menu management counts only as an internal page with all its functions', () => {
  const change = (id: number, part: Partial<MenuRow>) =>
    hasRepairPage(tree.map((each) => (each.id === id ? { ...each, ...part } : each)))
  expect(hasRepairPage(tree)).toBe(true)
  expect(change(2, { path: 'elsewhere', parentId: null, name: '改名' })).toBe(true)
  expect(change(2, { url: 'system/role' })).toBe(false)
  expect(change(2, { openType: 1 })).toBe(false)
  expect(change(4, { remark: 'menu:add' })).toBe(false)
  expect(change(4, { parentId: 7 })).toBe(false)
  expect(hasRepairPage(tree.filter(({ id }) => id !== 5))).toBe(false)
})
