import { describe, expect, it } from 'vitest'
import { AgedMap } from './aged-map.ts'

describe('a map that forgets', () => {
  let now = 0
  const map = () => {
    now = 0
    return new AgedMap<number>({ limit: 3, maxAgeMs: 100, now: () => now })
  }

  it('returns entries up to the maximum age', () => {
    const aged = map()
    aged.set('a', 1)
    now = 100
    expect(aged.get('a')).toBe(1)
    now = 101
    expect(aged.get('a')).toBeUndefined()
  })

  it('drops the oldest entries beyond its limit; a rewritten entry is young again', () => {
    const aged = map()
    for (const [key, value] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['a', 4],
      ['d', 5],
    ] as const)
      aged.set(key, value)
    expect(['a', 'b', 'c', 'd'].map((key) => aged.get(key))).toEqual([4, undefined, 3, 5])
    expect(aged.size).toBe(3)
  })

  it('drops entries beyond the maximum age before the limit is reached', () => {
    const aged = map()
    aged.set('a', 1)
    aged.set('b', 2)
    now = 150
    aged.set('c', 3)
    expect(aged.size).toBe(1)
  })
})
