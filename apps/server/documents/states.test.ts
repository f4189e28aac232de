import { expect, test } from 'vitest'
import { statesDocument } from './states.ts'

test('docs/upgrades.md draws the states as the tables have them (npm run docs:states)', () => {
  const { present, wanted } = statesDocument()
  expect(present).toBe(wanted)
})

test('every arrow of a target is drawn from its table', () => {
  const { wanted } = statesDocument()
  expect(wanted).toContain('  waiting --> sent : due, taken\n')
  expect(wanted).toContain('  succeeded --> [*]\n')
  expect(wanted).not.toContain('succeeded --> waiting')
})
