import { expect, test } from 'vitest'
import { openIn, outcomeOf, sharesBy } from './shares.ts'

const sharesOf = sharesBy({
  waiting: 'open',
  sent: 'underWay',
  done: 'good',
  failed: 'failed',
  refused: 'failed',
})

test('each state counts once, for what became of its devices', () => {
  const shares = sharesOf({ waiting: 1, sent: 2, done: 3, failed: 4, refused: 5 })
  expect(shares).toEqual({ good: 3, failed: 9, underWay: 2, leftOut: 0, open: 1 })
  expect(openIn(shares)).toBe(3)
})

test('a total beside the states is not counted', () => {
  const counts = { total: 15, waiting: 1, sent: 2, done: 3, failed: 4, refused: 5 }
  expect(Object.values(sharesOf(counts)).reduce((sum, count) => sum + count)).toBe(counts.total)
})

test('what came of finished work is good only where nothing failed', () => {
  expect(outcomeOf({ good: 2, failed: 0 })).toBe('finished')
  expect(outcomeOf({ good: 0, failed: 0 })).toBe('finished')
  expect(outcomeOf({ good: 2, failed: 1 })).toBe('partly')
  expect(outcomeOf({ good: 0, failed: 2 })).toBe('failed')
})
