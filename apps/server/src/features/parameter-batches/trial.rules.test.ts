import { expect, test } from 'vitest'
import type { TrialFigures } from './targets/index.ts'
import { autoTimeOf, decideTrial, isClean, trialStateOf } from './trial.rules.ts'

const figures = (some: Partial<TrialFigures> = {}): TrialFigures => ({
  open: 0,
  away: 0,
  succeeded: 5,
  unsuccessful: 0,
  hasHeld: true,
  ...some,
})
const endedAt = new Date('2026-11-22T02:00:00Z')
const continuedAt = new Date('2026-11-22T02:10:00Z')

test('a trial is over when its devices have their result, whatever it is', () => {
  expect(decideTrial('running', figures())).toBe('trialEnded')
  expect(decideTrial('running', figures({ succeeded: 0, unsuccessful: 5 }))).toBe('trialEnded')
  expect(decideTrial('running', figures({ open: 1 }))).toBeNull()
})

test('a device that is away delays no other, but is waited for where none has a result', () => {
  expect(decideTrial('running', figures({ open: 1, away: 1 }))).toBe('trialEnded')
  expect(decideTrial('running', figures({ open: 5, away: 5, succeeded: 0 }))).toBeNull()
})

test('a batch of which nothing is held any more goes on', () => {
  expect(decideTrial('paused', figures({ hasHeld: false }))).toBe('continued')
  expect(decideTrial('paused', figures())).toBeNull()
  expect(decideTrial('running', figures({ hasHeld: false }))).toBeNull()
})

test('it continues by itself only after a trial in which every device succeeded and none raised an alarm', () => {
  const trial = { devices: 5 }
  expect(isClean(trial, figures(), [])).toBe(true)
  expect(isClean(trial, figures(), ['EC1'])).toBe(false)
  expect(isClean(trial, figures({ succeeded: 4, unsuccessful: 1 }), [])).toBe(false)
  expect(isClean(trial, figures({ open: 1, away: 1, succeeded: 4 }), [])).toBe(false)
  expect(isClean(trial, figures({ succeeded: 0 }), [])).toBe(false)
  // The one that failed was deleted.
  expect(isClean(trial, figures({ succeeded: 4 }), [])).toBe(false)
})

test('its moment counts from the end of the trial, and there is none where somebody has to, or has', () => {
  const trial = { devices: 5, autoMinutes: 30, endedAt, continuedAt: null }
  expect(autoTimeOf(trial)).toEqual(new Date('2026-11-22T02:30:00Z'))
  expect(autoTimeOf({ ...trial, autoMinutes: null })).toBeNull()
  expect(autoTimeOf({ ...trial, endedAt: null })).toBeNull()
  expect(autoTimeOf({ ...trial, continuedAt })).toBeNull()
})

test('readers are told where it is', () => {
  expect(trialStateOf('running', { endedAt: null, continuedAt: null })).toBe('running')
  expect(trialStateOf('paused', { endedAt, continuedAt: null })).toBe('waiting')
  expect(trialStateOf('running', { endedAt, continuedAt })).toBe('continued')
  expect(trialStateOf('finished', { endedAt, continuedAt })).toBe('continued')
  expect(trialStateOf('stopped', { endedAt, continuedAt: null })).toBe('ended')
})
