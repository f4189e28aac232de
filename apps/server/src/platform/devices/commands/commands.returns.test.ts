import { expect, test } from 'vitest'
import { createReturns } from './commands.returns.ts'

test('what went to a device before it came back, or came back once more, is not taken for gone', () => {
  const returns = createReturns()
  returns.sent(1, 'before')
  returns.began(1)
  expect(returns.hasGone(1, 'before')).toBe(false)
  returns.sent(1, 'after')
  expect(returns.hasGone(1, 'after')).toBe(true)
  expect(returns.hasGone(2, 'after')).toBe(false)
  returns.began(1)
  expect(returns.hasGone(1, 'after')).toBe(false)
})

test('a return of any device begins those of single ones anew, and goes on after their ends', () => {
  const returns = createReturns()
  returns.began(1)
  returns.sent(1, 'before')
  const endOne = returns.taken([1], false)
  returns.began(null)
  expect(returns.hasGone(1, 'before')).toBe(false)
  returns.sent(1, 'after')
  endOne()
  expect(returns.hasGone(1, 'after')).toBe(true)
  returns.taken([1], true)()
  expect(returns.hasGone(1, 'after')).toBe(false)
})

test('a device that comes back alone after all of them may have lost what went to it in between', () => {
  const returns = createReturns()
  returns.began(null)
  returns.sent(1, 'between')
  returns.sent(2, 'between')
  returns.began(1)
  expect(returns.hasGone(1, 'between')).toBe(false)
  expect(returns.hasGone(2, 'between')).toBe(true)
})

test('the end of a return leaves a later one of the device', () => {
  const returns = createReturns()
  returns.began(1)
  returns.began(null)
  const end = returns.taken([1], true)
  returns.began(1)
  returns.began(null)
  returns.sent(1, 'after')
  end()
  expect(returns.hasGone(1, 'after')).toBe(true)
  returns.sent(2, 'other')
  expect(returns.hasGone(2, 'other')).toBe(true)
})
