import { expect, test } from 'vitest'
import { createPlaces } from './places.ts'

const createExports = () =>
  createPlaces({ perUser: 2, inAll: 40, ownRefusal: 'ownExportsRunning', refusal: 'tooManyExports' })

/** As many as there are, by users of the organization with two each. */
function takeAll(places: ReturnType<typeof createExports>, organization: number): (() => void)[] {
  const taken: (() => void)[] = []
  try {
    for (let n = 0; n < 100; n += 1) taken.push(places.take(organization * 1_000 + (n >> 1), organization))
  } catch {
    return taken
  }
  throw new Error('there is no limit')
}

test('one organization has half of the places, and leaves the others to those who come later', () => {
  const places = createExports()
  expect(takeAll(places, 1)).toHaveLength(20)
  expect(() => places.take(1_999, 1)).toThrow('正在进行的导出过多，请稍后再试')
  expect(takeAll(places, 2)).toHaveLength(10)
  expect(takeAll(places, 3)).toHaveLength(5)
  expect(places.take(4_000, 4)).toBeTypeOf('function')
})

test('a place that is given back is free for the user, for the organization and for all', () => {
  const places = createExports()
  const [first] = takeAll(places, 1)
  first?.()
  first?.()
  expect(() => places.take(1_000, 1)()).not.toThrow()
  expect(takeAll(places, 1)).toHaveLength(1)
})
