import { describe, expect, it } from 'vitest'
import { pathTo, subtreeIds } from './choices.ts'

const organization = (id: string, children: ReturnType<typeof node>[] = []) => node(id, children)
function node(id: string, children: unknown[]): never {
  return { id, parentId: '0', name: id, code: id, children } as never
}
const region = (value: string, childrens: unknown[] = []) =>
  ({ value, label: value, parentCode: null, childrens }) as never

describe('choices', () => {
  it('takes an organization with all that stand under it, at any depth', () => {
    const tree = [organization('1', [organization('2', [organization('3')]), organization('4')])]
    expect([...subtreeIds(tree, '2')].sort()).toEqual(['2', '3'])
    expect([...subtreeIds(tree, '1')].sort()).toEqual(['1', '2', '3', '4'])
    expect([...subtreeIds(tree, '9')]).toEqual(['9'])
  })

  it('finds the way to a region of any level', () => {
    const tree = [region('86', [region('440000', [region('440300')])]), region('01')]
    expect(pathTo(tree, '440300')).toEqual(['86', '440000', '440300'])
    expect(pathTo(tree, '01')).toEqual(['01'])
    expect(pathTo(tree, '999999')).toEqual([])
    expect(pathTo(tree, undefined)).toEqual([])
  })
})
