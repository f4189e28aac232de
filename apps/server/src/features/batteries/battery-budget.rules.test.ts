import { expect, test } from 'vitest'
import { StayBudget, staysPerDay } from './battery-budget.rules.ts'

test('a device begins no more than its stays in a day, and the budget comes back with time', () => {
  let nowMs = 0
  const budget = new StayBudget(() => nowMs)
  expect(budget.isEnough(1, staysPerDay)).toBe(true)
  expect(budget.isEnough(1, staysPerDay + 1)).toBe(false)
  budget.spend(1, staysPerDay)
  expect(budget.isEnough(1, 1)).toBe(false)
  expect(budget.isEnough(2, staysPerDay)).toBe(true)
  nowMs += 12 * 3_600_000
  expect(budget.isEnough(1, staysPerDay / 2)).toBe(true)
  expect(budget.isEnough(1, staysPerDay / 2 + 1)).toBe(false)
  budget.spend(1, 1)
  nowMs += 24 * 3_600_000
  expect(budget.isEnough(1, staysPerDay)).toBe(true)
})
