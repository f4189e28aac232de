import { expect, test } from 'vitest'
import { treeSums } from './treeSums.ts'

interface Node {
  key: string
  below: Node[]
}
const node = (key: string, ...below: Node[]): Node => ({ key, below })
const shape = { keyOf: ({ key }: Node) => key, childrenOf: ({ below }: Node) => below }

test('a node has its own numbers and those of all below it', () => {
  const tree = [node('a', node('b', node('c')), node('d')), node('e')]
  const own = new Map([
    ['a', { devices: 1, online: 1 }],
    ['c', { devices: 4, online: 2 }],
    ['d', { devices: 10, online: 0 }],
    ['gone', { devices: 100, online: 100 }],
  ])
  expect(Object.fromEntries(treeSums(tree, shape, ['devices', 'online'], own))).toEqual({
    a: { devices: 15, online: 3 },
    b: { devices: 4, online: 2 },
    c: { devices: 4, online: 2 },
    d: { devices: 10, online: 0 },
    e: { devices: 0, online: 0 },
  })
})
