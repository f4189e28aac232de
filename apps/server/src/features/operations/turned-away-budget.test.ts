import { expect, test } from 'vitest'
import { createTurnedAwayBudget } from './turned-away-budget.ts'

const of = (name: string, address = '10.0.0.1') => ({ name, call: '/user/login', address })

test('of calls refused by a limit, the log has the first in a quarter of an hour', () => {
  let minutes = 0
  const budget = createTurnedAwayBudget(() => minutes * 60_000)
  expect(budget.take(of('a'))).toBe(true)
  minutes = 14
  expect([budget.take(of('a')), budget.take(of('b')), budget.take(of('a', '10.0.0.2'))]).toEqual([
    false,
    true,
    true,
  ])
  minutes = 15
  expect([budget.take(of('a')), budget.take(of('a'))]).toEqual([true, false])
})

test('at most 20 an hour of one name, and 200 in all, from any number of addresses', () => {
  let minutes = 0
  const budget = createTurnedAwayBudget(() => minutes * 60_000)
  const taken = (nameOf: (index: number) => string) =>
    Array.from({ length: 1000 }, (_, index) => budget.take(of(nameOf(index), `${minutes} ${index}`))).filter(
      Boolean,
    )
  expect(taken(() => 'one')).toHaveLength(20)
  expect(taken((index) => `name ${index}`)).toHaveLength(180)
  minutes = 59
  expect(taken((index) => `name ${index}`)).toHaveLength(0)
  minutes = 60
  expect(taken(() => 'one')).toHaveLength(20)
})
