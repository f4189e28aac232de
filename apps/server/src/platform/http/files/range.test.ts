import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { growthOf, mostGrowth } from '../../../../test/growth.ts'
import { namesTag, rangeOf } from './range.ts'

describe('of a file of ten bytes', () => {
  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-', 0, 9],
    ['bytes=2-4', 2, 4],
    ['bytes=9-9', 9, 9],
    ['bytes=5-99999999999999999999', 5, 9],
    ['bytes=-3', 7, 9],
    ['bytes=-10', 0, 9],
    ['bytes=-99', 0, 9],
    ['BYTES= 1 - 2 ', 1, 2],
  ])('%s is a range', (header, start, end) => {
    expect(rangeOf(header, 10)).toEqual({ start, end })
  })

  test.each(['bytes=10-', 'bytes=10-20', 'bytes=99999999999999999999-', 'bytes=-0'])(
    '%s is outside',
    (header) => {
      expect(rangeOf(header, 10)).toBe('outside')
    },
  )

  test.each([
    undefined,
    '',
    'bytes=',
    'bytes=-',
    'bytes=4-2',
    'bytes=0-1,3-4',
    'items=0-1',
    'bytes=a-b',
    'bytes=1',
    'bytes=1 2-3',
    'bytes=1-2-3',
    `bytes=0-0${' '.repeat(100)}`,
  ])('%s is not a range: the whole file is sent', (header) => {
    expect(rangeOf(header, 10)).toBe('whole')
  })
})

test('an empty file has no satisfiable range', () => {
  expect(rangeOf('bytes=0-', 0)).toBe('outside')
  expect(rangeOf('bytes=-1', 0)).toBe('outside')
  expect(rangeOf(undefined, 0)).toBe('whole')
})

test('a header of many blanks is read as quickly as one of few', () => {
  const growth = growthOf(
    (header) => rangeOf(header, 10),
    (length) => `bytes=${' '.repeat(length)}x`,
  )
  expect(growth).toBeLessThan(mostGrowth)
})

test('a range never leaves its file', () => {
  const part = fc.oneof(fc.nat(40).map(String), fc.constant(''))
  fc.assert(
    fc.property(part, part, fc.nat(20), (first, last, sizeBytes) => {
      const range = rangeOf(`bytes=${first}-${last}`, sizeBytes)
      if (typeof range === 'string') return
      expect(range.start).toBeGreaterThanOrEqual(0)
      expect(range.start).toBeLessThanOrEqual(range.end)
      expect(range.end).toBeLessThan(sizeBytes)
    }),
  )
})

test('an ETag is found in a list, weak or strong, and * matches any', () => {
  for (const header of ['"a"', 'W/"a"', '"b", "a"', '"b",W/"a"', '*'])
    expect(namesTag(header, '"a"')).toBe(true)
  for (const header of [undefined, '', '"b"', 'a', '"aa"']) expect(namesTag(header, '"a"')).toBe(false)
})
