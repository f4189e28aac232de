import { parameterBatchStates } from '@voltkeep/contract'
import { expect, test } from 'vitest'
import { type BatchEvent, batchAfter } from './batches.states.ts'

const events: readonly BatchEvent[] = ['trialEnded', 'continued', 'stopRequested', 'completed', 'retried']

test('a batch waits once after its trial, is stopped once, ends once, and runs again by a retry', () => {
  const table = Object.fromEntries(
    parameterBatchStates.map((state) => [
      state,
      Object.fromEntries(events.map((event) => [event, batchAfter(state, event)])),
    ]),
  )
  const nothing = { trialEnded: null, continued: null, stopRequested: null, completed: null, retried: null }
  expect(table).toEqual({
    running: {
      ...nothing,
      trialEnded: 'paused',
      stopRequested: 'stopping',
      completed: 'finished',
      retried: 'running',
    },
    paused: {
      ...nothing,
      continued: 'running',
      stopRequested: 'stopping',
      completed: 'finished',
      retried: 'running',
    },
    stopping: { ...nothing, completed: 'stopped' },
    stopped: { ...nothing, retried: 'running' },
    finished: { ...nothing, retried: 'running' },
  })
})
