import { expect, test } from 'vitest'
import { createPlaces } from './places.ts'

const createExports = () =>
  createPlaces({
    perUser: 2,
    inAll: 40,
    always: 2,
    ownRefusal: 'ownExportsRunning',
    refusal: 'tooManyExports',
  })

/** As many as there are, by users of the organization with two each. */
function takeAll(
  places: ReturnType<typeof createExports>,
  organization: number,
  around: readonly number[] = [],
): (() => void)[] {
  const taken: (() => void)[] = []
  try {
    for (let n = 0; n < 100; n += 1)
      taken.push(places.take(organization * 1_000 + (n >> 1), [...around, organization]))
  } catch {
    return taken
  }
  throw new Error('there is no limit')
}

test('one organization has half of the places, and leaves the others to those who come later', () => {
  const places = createExports()
  expect(takeAll(places, 1)).toHaveLength(20)
  expect(() => places.take(1_999, [1])).toThrow('正在进行的导出过多，请稍后再试')
  expect(takeAll(places, 2)).toHaveLength(10)
  expect(takeAll(places, 3)).toHaveLength(5)
  expect(places.take(4_000, [4])).toBeTypeOf('function')
})

test('a place that is given back is free for the user, for the organization and for all', () => {
  const places = createExports()
  const [first] = takeAll(places, 1)
  first?.()
  first?.()
  expect(() => places.take(1_000, [1])()).not.toThrow()
  expect(takeAll(places, 1)).toHaveLength(1)
})

test('organizations that lie in one have half of the places together, and each half of what is left of these', () => {
  const places = createExports()
  expect([11, 12, 13].map((n) => takeAll(places, n, [1]).length)).toEqual([10, 5, 2])
  expect(takeAll(places, 2)).toHaveLength(11)
})

test('two places are there for each, whatever the others have', () => {
  const places = createExports()
  for (let organization = 1; organization <= 8; organization += 1) takeAll(places, organization)
  expect(takeAll(places, 9)).toHaveLength(2)
  expect(takeAll(places, 10, [9])).toHaveLength(0)
})
