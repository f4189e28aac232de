import { expect, test } from 'vitest'
import { orderSeeds, type Seed } from './seeds.ts'

const seed = (name: string, ...after: string[]): Seed => ({ name, after, plant: async () => undefined })
const namesOf = (seeds: readonly Seed[]) => orderSeeds(seeds).map(({ name }) => name)

test('a seed comes after those that it refers to, and otherwise in the order of the list', () => {
  expect(
    namesOf([seed('roles', 'pages', 'users'), seed('users'), seed('lamps'), seed('pages', 'users')]),
  ).toEqual(['users', 'pages', 'roles', 'lamps'])
})

test('an impossible order is refused with its names', () => {
  expect(() => namesOf([seed('a', 'b'), seed('b', 'c'), seed('c', 'a')])).toThrow('a → b → c → a')
  expect(() => namesOf([seed('a', 'b')])).toThrow('the seed a comes after b, which there is not')
  expect(() => namesOf([seed('a'), seed('a')])).toThrow('two seeds have the same name')
})
