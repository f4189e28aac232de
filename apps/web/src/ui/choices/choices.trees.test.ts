import { describe, expect, it } from 'vitest'
import { regionPath } from './choices.trees.ts'

const region = (value: string, childrens: unknown[] = []) =>
  ({ value, label: value, parentCode: null, childrens }) as never

describe('choices', () => {
  it('finds the way to a region of any level', () => {
    const tree = [region('86', [region('440000', [region('440300')])]), region('01')]
    expect(regionPath(tree, '440300')).toEqual(['86', '440000', '440300'])
    expect(regionPath(tree, '01')).toEqual(['01'])
    expect(regionPath(tree, '999999')).toEqual([])
    expect(regionPath(tree, undefined)).toEqual([])
  })
})
