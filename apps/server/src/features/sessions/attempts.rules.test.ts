import { expect, test } from 'vitest'
import { type Counts, type Limits, verdictOn } from './attempts.rules.ts'

const limits: Limits = { pair: 5, address: 50, name: 20, nameSpacingMs: 3_000 }
const none: Counts = {
  pairFailed: 0,
  pairPending: 0,
  addressFailed: 0,
  addressPending: 0,
  nameTried: 0,
  sinceNameTriedMs: null,
}
const on = (counts: Partial<Counts>, isAlone = false) => verdictOn({ ...none, ...counts }, limits, isAlone)

test.each([
  ['nothing has failed', {}, { is: 'allowed' }],
  ['the pair has failed four times', { pairFailed: 4 }, { is: 'allowed' }],
  ['the pair has failed five times', { pairFailed: 5 }, { is: 'refused', by: 'pair' }],
  ['the address has failed 49 times', { addressFailed: 49 }, { is: 'allowed' }],
  ['the address has failed fifty times', { addressFailed: 50 }, { is: 'refused', by: 'address' }],
  [
    'others of the pair are undecided',
    { pairFailed: 3, pairPending: 2 },
    { is: 'waiting', for: 'others', ms: 40 },
  ],
  ['others of the address are undecided', { addressPending: 50 }, { is: 'waiting', for: 'others', ms: 40 }],
  ['the name has been tried 19 times', { nameTried: 19, sinceNameTriedMs: 0 }, { is: 'allowed' }],
  [
    'the name has just been tried',
    { nameTried: 20, sinceNameTriedMs: 500 },
    { is: 'waiting', for: 'turn', ms: 2_500 },
  ],
  ['the name has its turn', { nameTried: 400, sinceNameTriedMs: 3_000 }, { is: 'allowed' }],
] as const)('the verdict on an attempt where %s', (_, counts, verdict) => {
  expect(on(counts)).toEqual(verdict)
})

test('an attempt that is counted by its pair alone is not affected by other failures', () => {
  expect(on({ addressFailed: 90, nameTried: 90, sinceNameTriedMs: 0 }, true)).toEqual({ is: 'allowed' })
  expect(on({ pairFailed: 5 }, true)).toEqual({ is: 'refused', by: 'pair' })
})
