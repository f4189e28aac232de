import { expect, test } from 'vitest'
import { covers } from './filters.ts'

test.each([
  ['voltkeep/A/down/#', 'voltkeep/A/down/advertise', true],
  ['voltkeep/A/down/+', 'voltkeep/A/down/advertise', true],
  ['voltkeep/A/down/advertise', 'voltkeep/A/down/advertise', true],
  ['voltkeep/A/down/withdraw', 'voltkeep/A/down/advertise', false],
  ['voltkeep/A/down/advertise/#', 'voltkeep/A/down/advertise', true],
  ['voltkeep/A/down/advertise/+', 'voltkeep/A/down/advertise', false],
  ['voltkeep/A/down/', 'voltkeep/A/down/advertise', false],
  ['voltkeep/B/down/#', 'voltkeep/A/down/advertise', false],
  ['+/A/+/advertise', 'voltkeep/A/down/advertise', true],
  ['voltkeep/A', 'voltkeep/A/down/advertise', false],
])('%s covers %s: %s', (filter, topic, isCovered) => {
  expect(covers(filter, topic)).toBe(isCovered)
})
