import type { MenuNode, MenuType } from '@voltkeep/contract/menus'
import { expect, test } from 'vitest'
import { checkOf, press, pressAll, pressNone, withAncestors } from './roles.grants.ts'

const menu = (id: string, type: MenuType, ...children: MenuNode[]): MenuNode => ({
  id,
  parentId: '0',
  name: id,
  type,
  path: id,
  remark: id,
  icon: null,
  url: null,
  orderNum: 0,
  openType: 0,
  children,
})
const tree = [
  menu('dir', 'M', menu('page', 'C', menu('f1', 'F'), menu('f2', 'F')), menu('other', 'C', menu('g1', 'F'))),
  menu('home', 'C'),
]
const all = () => true
const find = (id: string, nodes: readonly MenuNode[] = tree): MenuNode | undefined =>
  nodes.flatMap((node) => (node.id === id ? [node] : (find(id, node.children) ?? [])))[0]
const checks = (held: ReadonlySet<string>) =>
  Object.fromEntries(
    ['dir', 'page', 'f1', 'f2', 'other', 'home'].map((id) => [id, checkOf(find(id) as MenuNode, held)]),
  )
const sorted = (held: Iterable<string>) => [...held].sort()

// proves: screen 5
test('a function alone half-checks its ancestors', () => {
  expect(checks(withAncestors(tree, ['f1']))).toEqual({
    dir: 'part',
    page: 'part',
    f1: 'all',
    f2: 'none',
    other: 'none',
    home: 'none',
  })
})

test('a page without its functions is half-checked, also after a save', () => {
  const held = press(tree, press(tree, press(tree, new Set(), 'page', all), 'f1', all), 'f2', all)
  expect(sorted(held)).toEqual(['dir', 'page'])
  expect(checks(withAncestors(tree, held))).toMatchObject({ dir: 'part', page: 'part', f1: 'none' })
})

test('any saved state is shown unchanged when it is opened again', () => {
  const ids = ['dir', 'page', 'f1', 'f2', 'other', 'g1', 'home']
  for (let bits = 0; bits < 2 ** ids.length; bits += 1) {
    const held = withAncestors(
      tree,
      ids.filter((_, at) => bits & (1 << at)),
    )
    expect(sorted(withAncestors(tree, held))).toEqual(sorted(held))
    // Toggling single menus and toggling them back also gives the same checks.
    for (const id of ids) {
      const pressed = press(tree, held, id, all)
      expect(sorted(withAncestors(tree, pressed))).toEqual(sorted(pressed))
    }
  }
})

test('pressing a half-checked menu grants it completely, pressing a complete one removes it', () => {
  const half = withAncestors(tree, ['f1'])
  const whole = press(tree, half, 'dir', all)
  expect(checks(whole)).toMatchObject({ dir: 'all', page: 'all', f2: 'all', other: 'all' })
  expect(sorted(press(tree, whole, 'dir', all))).toEqual([])
})

test('a directory is removed with its last page', () => {
  expect(sorted(press(tree, withAncestors(tree, ['f1', 'f2']), 'page', all))).toEqual([])
})

test('menus that the user may not grant stay unchanged', () => {
  const mayGrant = (node: MenuNode) => node.id !== 'f2'
  expect(sorted(press(tree, new Set(), 'page', mayGrant))).toEqual(['dir', 'f1', 'page'])
  const held = withAncestors(tree, ['f1', 'f2'])
  expect(sorted(press(tree, held, 'page', mayGrant))).toEqual(['dir', 'f2', 'page'])
  expect(sorted(pressAll(tree, new Set(), mayGrant))).toEqual(['dir', 'f1', 'g1', 'home', 'other', 'page'])
  expect(sorted(pressNone(tree, held, mayGrant))).toEqual(['dir', 'f2', 'page'])
})
