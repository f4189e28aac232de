import { upgradeStageStates } from '@voltkeep/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stageAfter, stageEvents } from './stages.states.ts'

const after = (...events: (typeof stageEvents)[number][]) =>
  events.reduce(
    (state, event) => stageAfter(state, event) ?? state,
    'pending' as (typeof upgradeStageStates)[number],
  )

describe('a stage', () => {
  test('runs, soaks and passes', () => {
    expect(after('begun')).toBe('running')
    expect(after('begun', 'executed')).toBe('soaking')
    expect(after('begun', 'executed', 'proven')).toBe('passed')
  })

  test('passes without a soak where it is the last one', () => {
    expect(after('begun', 'proven')).toBe('passed')
  })

  test('that was stopped resumes where it was, after a user’s decision', () => {
    expect(after('begun', 'stopped')).toBe('failed')
    expect(after('begun', 'stopped', 'waived')).toBe('running')
    expect(after('begun', 'executed', 'stopped', 'waivedInSoak')).toBe('soaking')
  })

  test('does not begin twice, and does not pass before it has begun', () => {
    expect(stageAfter('running', 'begun')).toBeNull()
    expect(stageAfter('pending', 'proven')).toBeNull()
    expect(stageAfter('failed', 'proven')).toBeNull()
  })

  test('that has passed is stopped by later alarms, and has passed again after a user’s decision', () => {
    expect(after('begun', 'proven', 'stopped')).toBe('failed')
    expect(after('begun', 'proven', 'stopped', 'waivedWhenPassed')).toBe('passed')
  })

  test('that has passed is not started again by any event', () => {
    fc.assert(
      fc.property(fc.constantFrom(...stageEvents), (event) => {
        expect([null, 'failed']).toContain(stageAfter('passed', event))
      }),
    )
  })

  test('changes its state with every event that does anything', () => {
    for (const state of upgradeStageStates)
      for (const event of stageEvents) expect(stageAfter(state, event)).not.toBe(state)
  })
})
