import { expect, test } from 'vitest'
import { outcomeOf } from './outcome.ts'

test('what came of finished work is good only where nothing failed', () => {
  expect(outcomeOf({ good: 2, failed: 0 })).toBe('finished')
  expect(outcomeOf({ good: 0, failed: 0 })).toBe('finished')
  expect(outcomeOf({ good: 2, failed: 1 })).toBe('partly')
  expect(outcomeOf({ good: 0, failed: 2 })).toBe('failed')
})
