import { describe, expect, test } from 'vitest'
import {
  type AlarmReading,
  type AlarmState,
  afterStep,
  type Episode,
  placeLate,
  type RecoveryMethod,
  recoverByUser,
  recoveredByDevice,
  recoveredByUser,
  stepOf,
} from './alarms.states.ts'

const at = (timeMs: number, value: number): AlarmReading => ({ timeMs, value, clockLimitMs: null })
const active = (occurredAtMs: number, reportedAtMs: number, value = 1): AlarmState => ({
  episode: { id: 1, occurredAtMs },
  isActive: true,
  value,
  reportedAtMs,
  recoveredAtMs: null,
  recoveryMethod: null,
})
const over = (occurredAtMs: number, recoveredAtMs: number, reportedAtMs = recoveredAtMs): AlarmState => ({
  episode: { id: 1, occurredAtMs },
  isActive: false,
  value: 0,
  reportedAtMs,
  recoveredAtMs,
  recoveryMethod: recoveredByDevice,
})
const episode = (
  id: number,
  occurredAtMs: number,
  recoveredAtMs: number | null,
  method: RecoveryMethod | null = 1,
): Episode => ({
  id,
  occurredAtMs,
  recoveredAtMs,
  recoveryMethod: recoveredAtMs === null ? null : method,
  lateReports: null,
})

describe('a report as new as the newest', () => {
  test.each([
    ['nonzero where nothing is known opens', null, at(5, 2), 'opens'],
    ['zero where nothing is known stays quiet', null, at(5, 0), 'staysQuiet'],
    ['nonzero on an active alarm continues it', active(1, 3), at(5, 2), 'continues'],
    ['zero on an active alarm recovers it', active(1, 3), at(5, 0), 'recovers'],
    ['zero within the same millisecond recovers too', active(3, 3), at(3, 0), 'recovers'],
    ['nonzero after a recovery opens anew', over(1, 3), at(5, 2), 'opens'],
    ['nonzero at the recovery’s own millisecond opens anew', over(1, 3), at(3, 2), 'opens'],
    ['zero after a recovery stays quiet', over(1, 3), at(5, 0), 'staysQuiet'],
    ['anything older is late', active(1, 3), at(2, 0), 'isLate'],
  ] as const)('%s', (_, state, report, step) => {
    expect(stepOf(state, report)).toBe(step)
  })

  test('a recovery by a user does not affect the next report', () => {
    const recovered = recoverByUser(active(1, 3), 1, 9) as AlarmState
    expect(stepOf(recovered, at(4, 7))).toBe('opens')
    expect(afterStep(recovered, 'opens', at(4, 7), 2)).toEqual({
      episode: { id: 2, occurredAtMs: 4 },
      isActive: true,
      value: 7,
      reportedAtMs: 4,
      recoveredAtMs: null,
      recoveryMethod: null,
    })
  })

  test('a zero after a recovery by a user changes neither its time nor who recovered', () => {
    const recovered = recoverByUser(active(1, 3), 1, 9) as AlarmState
    expect(afterStep(recovered, stepOf(recovered, at(12, 0)) as 'staysQuiet', at(12, 0), 2)).toEqual({
      ...recovered,
      reportedAtMs: 12,
    })
  })
})

describe('a recovery by a user', () => {
  test('ends the active episode at that moment', () => {
    expect(recoverByUser(active(1, 3, 8), 1, 9)).toEqual({
      episode: { id: 1, occurredAtMs: 1 },
      isActive: false,
      value: 0,
      reportedAtMs: 3,
      recoveredAtMs: 9,
      recoveryMethod: recoveredByUser,
    })
  })

  test('ends an episode in the future, of a device with a fast clock, at its beginning', () => {
    expect(recoverByUser(active(20, 20), 1, 9)?.recoveredAtMs).toBe(20)
  })

  test('is refused for an episode that is over, replaced or unknown', () => {
    expect(recoverByUser(over(1, 3), 1, 9)).toBeNull()
    expect(recoverByUser(active(1, 3), 2, 9)).toBeNull()
    expect(recoverByUser(null, 1, 9)).toBeNull()
  })
})

describe('a late report', () => {
  test('inside an episode belongs to it', () => {
    const [first] = [episode(1, 10, 20)]
    expect(placeLate(at(15, 3), [first], over(10, 20, 30))).toEqual({ kind: 'inside', episode: first })
    expect(placeLate(at(15, 0), [first], over(10, 20, 30))).toEqual({ kind: 'inside', episode: first })
  })

  test('a zero after the active episode’s start does not affect the present', () => {
    const current = episode(1, 10, null)
    expect(placeLate(at(15, 0), [current], active(10, 20))).toEqual({ kind: 'inside', episode: current })
  })

  test('a nonzero outside all episodes is an episode of its own, which ends at the next event', () => {
    const current = episode(1, 10, null)
    expect(placeLate(at(5, 2), [current], active(10, 20))).toEqual({ kind: 'apart', recoveredAtMs: 10 })
    expect(placeLate(at(25, 2), [episode(1, 10, 20)], over(10, 20, 30))).toEqual({
      kind: 'apart',
      recoveredAtMs: 30,
    })
    expect(placeLate(at(5, 2), [], { ...over(0, 0, 9), episode: null })).toEqual({
      kind: 'apart',
      recoveredAtMs: 9,
    })
  })

  test('a newer value of an episode that consists of late reports replaces its value, an older one does not', () => {
    const known = { ...episode(1, 5, 20, null), lateReports: [[9, 3]] as [number, number][] }
    expect(placeLate(at(9, 7), [known], over(0, 20))).toEqual({ kind: 'continues', episode: known })
    expect(placeLate(at(8, 7), [known], over(0, 20))).toEqual({ kind: 'inside', episode: known })
  })

  test('a zero corrects the end of an episode whose end was only inferred', () => {
    const inferred = episode(1, 5, 10, null)
    const state = { ...active(10, 20), episode: { id: 2, occurredAtMs: 10 } }
    expect(placeLate(at(7, 0), [inferred, episode(2, 10, null)], state)).toEqual({
      kind: 'ends',
      episode: inferred,
    })
  })

  test('a zero ends an earlier episode that was left open', () => {
    const left = episode(1, 5, null)
    const state = { ...active(10, 20), episode: { id: 2, occurredAtMs: 10 } }
    expect(placeLate(at(7, 0), [left, episode(2, 10, null)], state)).toEqual({ kind: 'ends', episode: left })
  })

  test('a zero outside all episodes changes nothing', () => {
    expect(placeLate(at(5, 0), [episode(1, 10, 20)], over(10, 20))).toEqual({ kind: 'nowhere' })
    expect(placeLate(at(25, 0), [episode(1, 10, 20)], over(10, 20, 30))).toEqual({ kind: 'nowhere' })
  })
})
