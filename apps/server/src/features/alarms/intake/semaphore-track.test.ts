import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AlarmReading, AlarmState, EpisodeRow } from '../alarms.states.ts'
import { Track } from './semaphore-track.ts'

/** Without `clockLimitMs` the reading may be late. */
const at = (timeMs: number, value: number, clockLimitMs: number | null = null): AlarmReading => ({
  timeMs,
  value,
  clockLimitMs,
})

/** One semaphore's state and history, with batches of readings applied as the alarm writer does. */
function semaphore({ isAllKnown = false } = {}) {
  let nextId = 1
  let state: AlarmState | null = null
  const episodes: EpisodeRow[] = []
  const inOrder = () => episodes.toSorted((a, b) => a.occurredAtMs - b.occurredAtMs || a.id - b.id)

  /** Returns what readNeighbours does: for each time the last episode before it and the first one after it. */
  const beside = (times: readonly number[]) => {
    const all = inOrder()
    const near = times.flatMap((timeMs) => [
      all.findLast(({ occurredAtMs }) => occurredAtMs <= timeMs),
      all.find(({ occurredAtMs }) => occurredAtMs > timeMs),
    ])
    return all.filter((row) => near.includes(row)).map((row) => ({ ...row }))
  }
  return {
    get state() {
      return state
    },
    get episodes() {
      return inOrder()
    },
    apply(...readings: AlarmReading[]): Track {
      const track = new Track(1, 'A1')
      track.readings.push(...readings)
      track.sort()
      const late = track.lateTimes(state)
      track.begin(state, isAllKnown ? inOrder().map((row) => ({ ...row })) : beside(late))
      track.applyAll(() => nextId++)
      state = track.state
      episodes.push(...track.opened.map((row) => ({ ...row })))
      for (const { id, firstValue: _, lateReports, ...change } of track.changed) {
        const row = episodes.find((one) => one.id === id)
        // Like updateEpisodes: null leaves the late reports unchanged.
        Object.assign(row as EpisodeRow, change, lateReports && { lateReports })
      }
      return track
    },
  }
}

describe('a batch', () => {
  test('that opens, continues and recovers an alarm opens one episode and changes none', () => {
    const one = semaphore()
    const track = one.apply(at(10, 4), at(20, 6), at(30, 0))
    expect([...track.changed]).toEqual([])
    expect(one.episodes).toEqual([
      {
        id: 1,
        occurredAtMs: 10,
        firstValue: 4,
        value: 6,
        recoveredAtMs: 30,
        recoveryMethod: 1,
        lateReports: null,
      },
    ])
  })

  test('is applied in order of time, and within one millisecond in order of arrival', () => {
    const one = semaphore()
    one.apply(at(30, 0), at(10, 4), at(20, 5), at(20, 6))
    expect(one.episodes).toMatchObject([{ occurredAtMs: 10, value: 6, recoveredAtMs: 30 }])
  })

  test('changes the episode of an earlier batch without reading it', () => {
    const one = semaphore()
    one.apply(at(10, 4))
    const track = one.apply(at(20, 0))
    expect(track.opened).toEqual([])
    expect([...track.changed]).toMatchObject([{ id: 1, value: 4, recoveredAtMs: 20, lateReports: null }])
  })

  test('without news writes the state only', () => {
    const one = semaphore()
    one.apply(at(10, 4))
    const track = one.apply(at(20, 4))
    expect([track.opened, [...track.changed]]).toEqual([[], []])
    expect(one.state).toMatchObject({ value: 4, reportedAtMs: 20 })
  })

  test('with a late report stores it in its episode, which keeps the newest fifty', () => {
    const one = semaphore()
    one.apply(at(10, 4))
    one.apply(at(1_000, 0))
    for (let n = 0; n < 60; n += 1) one.apply(at(100 + n, 7))
    const [row] = one.episodes
    expect(row).toMatchObject({ value: 4, recoveredAtMs: 1_000 })
    expect(row?.lateReports).toHaveLength(50)
    expect(row?.lateReports?.at(-1)).toEqual([159, 7])
  })

  test('with a late alarm of its own opens a finished episode, and leaves the state', () => {
    const one = semaphore()
    one.apply(at(100, 0))
    const track = one.apply(at(50, 3))
    expect(track.state).toBe(track.before)
    expect(track.opened).toMatchObject([
      { occurredAtMs: 50, value: 3, recoveredAtMs: 100, recoveryMethod: null },
    ])
  })
})

/** The state and history after reports in order of arrival, each as a batch. */
function replay(reports: AlarmReading[]) {
  const one = semaphore()
  for (const report of reports) one.apply(report)
  return one
}

const anyReports = fc.uniqueArray(
  fc.record({
    timeMs: fc.integer({ min: 1, max: 60 }),
    value: fc.integer({ min: 0, max: 3 }),
    clockLimitMs: fc.constant(null),
  }),
  { selector: ({ timeMs }) => timeMs, minLength: 1, maxLength: 30 },
)

describe('in any order of arrival', () => {
  test('the state follows the newest report', () => {
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

  test('every reported alarm is part of some episode', () => {
    fc.assert(
      fc.property(anyReports, (reports) => {
        const { episodes } = replay(reports)
        for (const { timeMs } of reports.filter(({ value }) => value > 0)) {
          // If a late zero has ended the episode earlier since, the report is among its late ones.
          const around = episodes.filter(
            ({ occurredAtMs, recoveredAtMs, lateReports }) =>
              (occurredAtMs <= timeMs && timeMs <= (recoveredAtMs ?? Number.POSITIVE_INFINITY)) ||
              lateReports?.some(([at]) => at === timeMs),
          )
          expect(around.length).toBeGreaterThan(0)
        }
      }),
    )
  })
})

test('in order of time, the history consists of the periods with a nonzero value', () => {
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

test('reports that come late but oldest first leave the same rows as in order of time', () => {
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

test('late reports of one batch find the same place among their neighbours as among all episodes', () => {
  const anyBatches = fc.array(
    fc.array(
      fc.record({
        timeMs: fc.integer({ min: 1, max: 60 }),
        value: fc.integer({ min: 0, max: 3 }),
        clockLimitMs: fc.option(fc.integer({ min: 1, max: 60 })),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    { minLength: 1, maxLength: 12 },
  )
  fc.assert(
    fc.property(anyBatches, (batches) => {
      const [near, all] = [semaphore(), semaphore({ isAllKnown: true })]
      for (const batch of batches) for (const one of [near, all]) one.apply(...batch)
      const shown = ({ episodes, state }: typeof near) => ({
        state,
        episodes: episodes.map((row) => ({ ...row, lateReports: row.lateReports ?? [] })),
      })
      expect(shown(near)).toEqual(shown(all))
    }),
    { numRuns: 500 },
  )
})

test('the division of reports in order of time into batches makes no difference', () => {
  fc.assert(
    fc.property(anyReports, fc.infiniteStream(fc.integer({ min: 1, max: 8 })), (reports, sizes) => {
      const ordered = reports.toSorted((a, b) => a.timeMs - b.timeMs)
      const one = semaphore()
      for (let from = 0; from < ordered.length; ) {
        const size = sizes.next().value
        one.apply(...ordered.slice(from, from + size))
        from += size
      }
      const alone = replay(ordered)
      expect([one.state, one.episodes]).toEqual([alone.state, alone.episodes])
    }),
  )
})

describe('a clock that was ahead and has been set back', () => {
  test('does not keep an alarm active that is over', () => {
    const one = semaphore()
    one.apply(at(500, 1, 500))
    one.apply(at(120, 0, 121))
    expect(one.state).toMatchObject({ isActive: false, reportedAtMs: 120, recoveredAtMs: 500 })
    expect(one.episodes).toMatchObject([{ occurredAtMs: 500, recoveredAtMs: 500, recoveryMethod: 1 }])
  })

  test('does not keep a new alarm from opening', () => {
    const one = semaphore()
    one.apply(at(500, 0, 500))
    one.apply(at(120, 4, 121))
    expect(one.state).toMatchObject({ isActive: true, value: 4, reportedAtMs: 120 })
    expect(one.episodes).toMatchObject([{ occurredAtMs: 120, recoveredAtMs: null }])
  })

  test('is not assumed where the report may be late, or the state is no later than the present', () => {
    const one = semaphore()
    one.apply(at(500, 1, 500))
    one.apply(at(120, 0, null))
    one.apply(at(130, 0, 500))
    expect(one.state).toMatchObject({ isActive: true, value: 1, reportedAtMs: 500 })
  })
})
