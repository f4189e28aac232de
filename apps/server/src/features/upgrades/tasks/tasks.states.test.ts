import { upgradeTaskStates } from '@voltkeep/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { statesOf, statusOf, taskAfter, taskEvents } from './tasks.states.ts'

describe('a task', () => {
  test('starts, pauses, resumes and finishes', () => {
    expect(taskAfter('planned', 'started')).toBe('running')
    expect(taskAfter('running', 'paused')).toBe('paused')
    expect(taskAfter('paused', 'resumed')).toBe('running')
    expect(taskAfter('running', 'completed')).toBe('finished')
  })

  test('that is paused finishes when its last device has ended', () => {
    expect(taskAfter('paused', 'completed')).toBe('finished')
  })

  test('can be cancelled in every state but the final ones', () => {
    const cancellable = upgradeTaskStates.filter((state) => taskAfter(state, 'cancelled') !== null)
    expect(cancellable).toEqual(['planned', 'running', 'paused'])
  })

  test('that is finished runs again for a retry only', () => {
    fc.assert(
      fc.property(fc.constantFrom(...taskEvents), (event) => {
        expect(taskAfter('finished', event)).toBe(event === 'retried' ? 'running' : null)
        expect(taskAfter('cancelled', event)).toBeNull()
      }),
    )
  })

  test('that is paused stays so after a retry', () => {
    expect(taskAfter('paused', 'retried')).toBe('paused')
  })

  // proves: rule upgrade status
  test('has a status for every state', () => {
    expect(upgradeTaskStates.map(statusOf)).toEqual([0, 1, 1, 2, 2])
    expect(([0, 1, 2] as const).flatMap(statesOf)).toEqual([...upgradeTaskStates])
  })
})
