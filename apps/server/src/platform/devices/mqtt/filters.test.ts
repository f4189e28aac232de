import fc from 'fast-check'
import { expect, test } from 'vitest'
import { covers, isFilter } from './filters.ts'

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

/** A reference implementation of section 4.7, level by level. */
function coversByLevels(filter: string, topic: string): boolean {
  const levels = topic.split('/')
  const wanted = filter.split('/')
  for (const [index, level] of wanted.entries()) {
    if (level === '#') return true
    if (index >= levels.length || (level !== '+' && level !== levels[index])) return false
  }
  return wanted.length === levels.length
}

test('any filter covers the same topics as the reference', () => {
  const name = fc.constantFrom('', 'a', 'b', 'ab', '仓')
  const filter = fc
    .tuple(fc.array(fc.oneof(name, fc.constant('+')), { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([levels, isOpen]) => [...levels, ...(isOpen ? ['#'] : [])].join('/'))
  const topic = fc.array(name, { minLength: 1, maxLength: 5 }).map((levels) => levels.join('/'))
  fc.assert(
    fc.property(filter, topic, (wanted, given) => covers(wanted, given) === coversByLevels(wanted, given)),
    { numRuns: 10_000 },
  )
})

test.each([
  ['a', true],
  ['a/#', true],
  ['#', true],
  ['+/b/+', true],
  ['/', true],
  ['', false],
  ['a#', false],
  ['#/a', false],
  ['a+/b', false],
  ['a/+b', false],
  ['1/2/3/4/5/6/7/8', true],
  ['1/2/3/4/5/6/7/8/9', false],
])('%j is a filter: %s', (text, is) => {
  expect(isFilter(text)).toBe(is)
})
