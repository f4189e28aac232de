import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type AlarmReading,
  type AlarmState,
  afterStep,
  type Episode,
  placeLate,
  recoveredByDevice,
  stepOf,
} from './alarms.states.ts'

const at = (timeMs: number, value: number): AlarmReading => ({ timeMs, value })
const active = (occurredAtMs: number, reportedAtMs: number, value = 1): AlarmState => ({
  episode: { id: 1, occurredAtMs },
  isActive: true,
  value,
  reportedAtMs,
  recoveredAtMs: null,
})
const over = (occurredAtMs: number, recoveredAtMs: number, reportedAtMs = recoveredAtMs): AlarmState => ({
  episode: { id: 1, occurredAtMs },
  isActive: false,
  value: 0,
  reportedAtMs,
  recoveredAtMs,
})
const episode = (
  id: number,
  occurredAtMs: number,
  recoveredAtMs: number | null,
  method: number | null = 1,
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

  test('a recovery by a user leaves the way open for the next report', () => {
    const recoveredByUser = { ...active(1, 3), isActive: false, value: 0, recoveredAtMs: 9 }
    expect(stepOf(recoveredByUser, at(4, 7))).toBe('opens')
    expect(afterStep(recoveredByUser, 'opens', at(4, 7), 2)).toEqual({
      episode: { id: 2, occurredAtMs: 4 },
      isActive: true,
      value: 7,
      reportedAtMs: 4,
      recoveredAtMs: null,
    })
  })
})

describe('a late report', () => {
  test('inside an episode belongs to it', () => {
    const [first] = [episode(1, 10, 20)]
    expect(placeLate(at(15, 3), [first], over(10, 20, 30))).toEqual({ kind: 'inside', episode: first })
    expect(placeLate(at(15, 0), [first], over(10, 20, 30))).toEqual({ kind: 'inside', episode: first })
  })

  test('a zero after the active episode’s start says nothing about now', () => {
    const current = episode(1, 10, null)
    expect(placeLate(at(15, 0), [current], active(10, 20))).toEqual({ kind: 'inside', episode: current })
  })

  test('a nonzero outside all episodes is one of its own, over when the next thing happened', () => {
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

  test('a newer value of an episode that only late reports tell of is its value, an older one is not', () => {
    const known = { ...episode(1, 5, 20, null), lateReports: [[9, 3]] as [number, number][] }
    expect(placeLate(at(9, 7), [known], over(0, 20))).toEqual({ kind: 'continues', episode: known })
    expect(placeLate(at(8, 7), [known], over(0, 20))).toEqual({ kind: 'inside', episode: known })
  })

  test('a zero tells when an episode whose end was only inferred really ended', () => {
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

  test('a zero outside all episodes leaves no trace', () => {
    expect(placeLate(at(5, 0), [episode(1, 10, 20)], over(10, 20))).toEqual({ kind: 'nowhere' })
    expect(placeLate(at(25, 0), [episode(1, 10, 20)], over(10, 20, 30))).toEqual({ kind: 'nowhere' })
  })
})

/** The history that reports in this order of arrival leave, by the rules above and nothing else. */
function replay(reports: AlarmReading[]) {
  let state: AlarmState | null = null
  let nextId = 1
  const episodes: (Episode & { firstValue: number; value: number; values: number[] })[] = []
  for (const report of reports) {
    const step = stepOf(state, report)
    if (step !== 'isLate') {
      const before: AlarmState | null = state
      state = afterStep(before, step, report, nextId)
      const current = episodes.find(({ id }) => id === state?.episode?.id)
      if (step === 'opens')
        episodes.push({
          ...episode(nextId++, report.timeMs, null),
          firstValue: report.value,
          value: report.value,
          values: [report.value],
        })
      if (step === 'continues' && current) {
        current.values.push(report.value)
        current.value = report.value
      }
      if (step === 'recovers')
        Object.assign(current as Episode, { recoveredAtMs: report.timeMs, recoveryMethod: recoveredByDevice })
      continue
    }
    episodes.sort((a, b) => a.occurredAtMs - b.occurredAtMs || a.id - b.id)
    const place = placeLate(report, episodes, state as AlarmState)
    if (place.kind === 'inside' || place.kind === 'continues') {
      place.episode.values.push(report.value)
      place.episode.lateReports = [...(place.episode.lateReports ?? []), [report.timeMs, report.value]]
    }
    if (place.kind === 'continues') place.episode.value = report.value
    if (place.kind === 'ends')
      Object.assign(place.episode, { recoveredAtMs: report.timeMs, recoveryMethod: recoveredByDevice })
    if (place.kind === 'apart') {
      episodes.push({
        ...episode(nextId++, report.timeMs, place.recoveredAtMs, null),
        firstValue: report.value,
        value: report.value,
        values: [report.value],
      })
    }
  }
  return { state, episodes: episodes.sort((a, b) => a.occurredAtMs - b.occurredAtMs || a.id - b.id) }
}

const anyReports = fc.uniqueArray(
  fc.record({ timeMs: fc.integer({ min: 1, max: 60 }), value: fc.integer({ min: 0, max: 3 }) }),
  { selector: ({ timeMs }) => timeMs, minLength: 1, maxLength: 30 },
)

describe('whatever the order of arrival', () => {
  test('the state is what the newest report says', () => {
    fc.assert(
      fc.property(anyReports, (reports) => {
        const newest = reports.reduce((a, b) => (b.timeMs > a.timeMs ? b : a))
        expect(replay(reports).state).toMatchObject({
          isActive: newest.value > 0,
          value: newest.value,
          reportedAtMs: newest.timeMs,
        })
      }),
    )
  })

  test('episodes do not overlap, end after they begin, and only the current one is open', () => {
    fc.assert(
      fc.property(anyReports, (reports) => {
        const { state, episodes } = replay(reports)
        for (const [index, one] of episodes.entries()) {
          const next = episodes[index + 1]
          if (one.recoveredAtMs === null)
            expect(state).toMatchObject({ isActive: true, episode: { id: one.id } })
          else expect(one.recoveredAtMs).toBeGreaterThanOrEqual(one.occurredAtMs)
          if (next)
            expect(one.recoveredAtMs ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(next.occurredAtMs)
        }
      }),
    )
  })

  test('every alarm that was reported can be found in some episode', () => {
    fc.assert(
      fc.property(anyReports, (reports) => {
        const kept = replay(reports).episodes.flatMap(({ values }) => values)
        for (const value of [1, 2, 3]) {
          const said = reports.filter((report) => report.value === value).length
          expect(kept.filter((one) => one === value)).toHaveLength(said)
        }
      }),
    )
  })
})

test('in order of time, the history is exactly the stretches of nonzero', () => {
  fc.assert(
    fc.property(anyReports, (reports) => {
      const ordered = reports.toSorted((a, b) => a.timeMs - b.timeMs)
      const stretches: { from: number; to: number | null }[] = []
      for (const { timeMs, value } of ordered) {
        const open = stretches.at(-1)?.to === null ? stretches.at(-1) : undefined
        if (value > 0 && !open) stretches.push({ from: timeMs, to: null })
        if (value === 0 && open) open.to = timeMs
      }
      expect(
        replay(ordered).episodes.map(({ occurredAtMs, recoveredAtMs }) => ({
          from: occurredAtMs,
          to: recoveredAtMs,
        })),
      ).toEqual(stretches)
    }),
  )
})

test('what comes oldest first after a newer report leaves the rows that it would have left in time', () => {
  const rowsOf = (reports: AlarmReading[]) =>
    replay(reports).episodes.map(({ occurredAtMs, firstValue, value, recoveredAtMs, recoveryMethod }) => ({
      occurredAtMs,
      firstValue,
      value,
      recoveredAtMs,
      recoveryMethod,
    }))
  fc.assert(
    fc.property(anyReports, fc.integer({ min: 0, max: 3 }), (reports, newestValue) => {
      const backlog = [...reports.toSorted((a, b) => a.timeMs - b.timeMs), at(70, 0)]
      const newest = at(80, newestValue)
      expect(rowsOf([newest, ...backlog])).toEqual(rowsOf([...backlog, newest]))
    }),
  )
})
