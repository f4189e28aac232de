import { parameterBatchStates } from '@voltkeep/contract'
import { expect, test } from 'vitest'
import { type BatchEvent, batchAfter } from './batches.states.ts'

const events: readonly BatchEvent[] = ['stopRequested', 'completed', 'retried']

test('a batch is stopped once, ends once, and runs again by a retry', () => {
  const table = Object.fromEntries(
    parameterBatchStates.map((state) => [
      state,
      Object.fromEntries(events.map((event) => [event, batchAfter(state, event)])),
    ]),
  )
  expect(table).toEqual({
    running: { stopRequested: 'stopping', completed: 'finished', retried: 'running' },
    stopping: { stopRequested: null, completed: 'stopped', retried: null },
    stopped: { stopRequested: null, completed: null, retried: 'running' },
    finished: { stopRequested: null, completed: null, retried: 'running' },
  })
})
