import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createComplaints } from './complaints.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('a complaint is logged at once, then at most every five seconds, with a count', () => {
  const said: unknown[] = []
  const complain = createComplaints((error, count) => said.push([error, count]))
  for (let n = 1; n <= 7; n += 1) complain(`failure ${n}`)
  expect(said).toEqual([['failure 1', 1]])
  vi.advanceTimersByTime(5_000)
  complain('failure 8')
  expect(said.slice(1)).toEqual([['failure 8', 7]])
})
