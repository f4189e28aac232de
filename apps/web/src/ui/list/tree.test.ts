import { expect, test } from 'vitest'
import { flatTree, rowsOfTree } from './tree.ts'

interface Node {
  id: string
  children: Node[]
}
const node = (id: string, ...children: Node[]): Node => ({ id, children })
const tree = [node('a', node('a1', node('a1x')), node('a2')), node('b')]
const shown = (isOpen: (one: Node) => boolean, matches?: (one: Node) => boolean) =>
  rowsOfTree(tree, isOpen, matches).map(({ node: { id }, depth, isOpen: open }) => [id, depth, open])

test('what is folded does not show', () => {
  expect(shown(() => false)).toEqual([
    ['a', 0, false],
    ['b', 0, false],
  ])
  expect(shown(({ id }) => id === 'a')).toEqual([
    ['a', 0, true],
    ['a1', 1, false],
    ['a2', 1, false],
    ['b', 0, false],
  ])
})

test('a search unfolds what it finds and leaves out the rest', () => {
  expect(
    shown(
      () => false,
      ({ id }) => id === 'a1x',
    ),
  ).toEqual([
    ['a', 0, true],
    ['a1', 1, true],
    ['a1x', 2, false],
  ])
  expect(
    shown(
      () => true,
      ({ id }) => id === 'a',
    ),
  ).toEqual([['a', 0, false]])
})

test('parents come before what is below them', () => {
  expect(flatTree(tree).map(({ id }) => id)).toEqual(['a', 'a1', 'a1x', 'a2', 'b'])
})
