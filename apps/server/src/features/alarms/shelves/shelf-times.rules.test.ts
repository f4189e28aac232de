// When shelves are in force, against a model that knows nothing of it: the platform's own local time, occurrence by
// occurrence.
import { afterEach, expect, test, vi } from 'vitest'
import { lastEnd, nextSpans, type ShelfTimes, spanAt, spansWithin, wallTextAt } from './shelf-times.rules.ts'

const ownZone = process.env.TZ
afterEach(() => {
  process.env.TZ = ownZone
})

/** Repeatable numbers from 0 up to below 1. */
function random(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const zones = ['Asia/Shanghai', 'Europe/Berlin', 'America/New_York'] as const
/** Some days about the changes of clocks of 2026 in Berlin and New York, in spring and in autumn. */
const seasons = [Date.UTC(2026, 2, 5), Date.UTC(2026, 2, 25), Date.UTC(2026, 9, 22), Date.UTC(2026, 9, 29)]
const codes = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const
const two = (value: number) => String(value).padStart(2, '0')
const hourMs = 3_600_000

type Clock = readonly [day: number, hour: number, minute: number]
interface Model {
  zone: (typeof zones)[number]
  /** Days after the season's first, of its first occurrence. */
  start: Clock
  end: Clock
  repeats: null | {
    freq: 'DAILY' | 'WEEKLY' | 'MONTHLY'
    interval: number
    days: number[]
    until: number | null
  }
}

const textOf = (season: number, [day, hour, minute]: Clock) =>
  `${new Date(season + day * 24 * hourMs).toISOString().slice(0, 10)} ${two(hour)}:${two(minute)}:00`

/** Whether the model's window is in force at a moment, by `Date` in the window's zone. */
function isInForce({ zone, start, end, repeats }: Model, season: number, at: number): boolean {
  process.env.TZ = zone
  const first = new Date(season)
  const local = (day: number, [, hour, minute]: Clock) =>
    new Date(first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate() + day, hour, minute)
  const firstDay = local(start[0], start)
  for (let day = start[0]; day <= (repeats ? 60 : start[0]); day += 1) {
    const begins = local(day, start)
    if (repeats) {
      if (repeats.until !== null && day > repeats.until) break
      const weekday = (begins.getDay() + 6) % 7
      const weekdayOfFirst = (firstDay.getDay() + 6) % 7
      const applies =
        repeats.freq === 'DAILY'
          ? (day - start[0]) % repeats.interval === 0
          : repeats.freq === 'WEEKLY'
            ? repeats.days.includes(weekday) &&
              Math.floor((day - start[0] + weekdayOfFirst) / 7) % repeats.interval === 0
            : repeats.days.includes(begins.getDate()) &&
              ((begins.getFullYear() - firstDay.getFullYear()) * 12 +
                begins.getMonth() -
                firstDay.getMonth()) %
                repeats.interval ===
                0
      if (!applies) continue
    }
    if (begins.getTime() <= at && at < local(day + end[0] - start[0], end).getTime()) return true
  }
  return false
}

test('10,000 random pairs of shelf and episode in three zones, over changes of clocks, agree with a plain model', () => {
  const next = random(20_260_329)
  const below = (count: number) => Math.floor(next() * count)
  process.env.TZ = 'Europe/Berlin'
  // The model would be no model if the process did not take the zone.
  expect(new Date(2026, 6, 1).getTimezoneOffset()).toBe(-120)
  let inForce = 0
  for (let pair = 0; pair < 10_000; pair += 1) {
    const season = seasons[below(seasons.length)] as number
    const startDay = below(6)
    const start: Clock = [startDay, below(24), below(4) * 15]
    const lasts = 15 + below(below(4) === 0 ? 3 * 24 * 60 : 300)
    const startMinutes = start[0] * 1_440 + start[1] * 60 + start[2]
    const endMinutes = startMinutes + lasts - (lasts % 15)
    const end: Clock = [
      Math.floor(endMinutes / 1_440),
      Math.floor((endMinutes % 1_440) / 60),
      endMinutes % 60,
    ]
    const freq = (['DAILY', 'WEEKLY', 'MONTHLY'] as const)[below(3)] as 'DAILY' | 'WEEKLY' | 'MONTHLY'
    const model: Model = {
      zone: zones[below(3)] as Model['zone'],
      start,
      end,
      repeats:
        below(4) === 0
          ? null
          : {
              freq,
              interval: 1 + below(3),
              days: freq === 'WEEKLY' ? [below(7), below(7)] : [1 + below(31), 1 + below(31)],
              until: below(3) === 0 ? startDay + below(15) : null,
            },
    }
    const { repeats } = model
    const rule = repeats && [
      `FREQ=${freq}`,
      `INTERVAL=${repeats.interval}`,
      ...(freq === 'WEEKLY' ? [`BYDAY=${repeats.days.map((day) => codes[day]).join(',')}`] : []),
      ...(freq === 'MONTHLY' ? [`BYMONTHDAY=${repeats.days.join(',')}`] : []),
      ...(repeats.until === null
        ? []
        : [`UNTIL=${textOf(season, [repeats.until, 0, 0]).slice(0, 10).replaceAll('-', '')}`]),
    ]
    const endedAt = below(8) === 0 ? new Date(season + below(20 * 24 * 60) * 60_000) : null
    const shelf: ShelfTimes = {
      startAt: new Date(season - 48 * hourMs),
      endAt: null,
      endedAt,
      window: {
        timeZone: model.zone,
        startLocal: textOf(season, start),
        endLocal: textOf(season, end),
        repeat: rule?.join(';') ?? null,
      },
    }
    // An episode: from its beginning to its end, every quarter of an hour that is asked about.
    const occurred = season + below(20 * 24 * 4) * 15 * 60_000
    for (let quarter = 0; quarter < 1 + below(6); quarter += 1) {
      const at = occurred + quarter * 15 * 60_000
      const expected = isInForce(model, season, at) && !(endedAt && at >= endedAt.getTime())
      const span = spanAt(shelf, new Date(at))
      if (span !== null) inForce += 1
      const asked = { from: new Date(at - below(30) * hourMs), to: new Date(at + below(30) * hourMs) }
      const isWithin = spansWithin(shelf, asked).some(
        ({ from, to }) => from.getTime() <= at && (to === null || at < to.getTime()),
      )
      if ((span !== null) !== expected || isWithin !== expected)
        expect.fail(JSON.stringify({ expected, model, at: new Date(at), shelf }))
    }
  }
  // Both sides are met often.
  expect(inForce).toBeGreaterThan(1_000)
})

test('a window keeps its hours by the clocks of its zone, over their change', () => {
  const window = {
    timeZone: 'Europe/Berlin',
    startLocal: '2026-03-27 02:30:00',
    endLocal: '2026-03-27 04:00:00',
    repeat: 'FREQ=DAILY',
  }
  const spans = nextSpans(window, new Date('2026-03-27T00:00:00Z'), 4)
  expect(spans.map(({ from, to }) => [from.toISOString(), to.toISOString()])).toEqual([
    ['2026-03-27T01:30:00.000Z', '2026-03-27T03:00:00.000Z'],
    ['2026-03-28T01:30:00.000Z', '2026-03-28T03:00:00.000Z'],
    // 02:30 does not come on the 29th.
    ['2026-03-29T01:30:00.000Z', '2026-03-29T02:00:00.000Z'],
    ['2026-03-30T00:30:00.000Z', '2026-03-30T02:00:00.000Z'],
  ])
  expect(wallTextAt('Europe/Berlin', new Date('2026-03-30T00:30:00Z'))).toBe('2026-03-30 02:30:00')
})

test('the spans within a range are whole, cut by an early end alone, and what begins with its end is among them', () => {
  const at = (text: string) => new Date(`${text}:00Z`)
  const shelf = {
    startAt: at('2026-10-24T21:00'),
    endAt: null,
    endedAt: at('2026-10-27T00:30'),
    window: {
      timeZone: 'Europe/Berlin',
      startLocal: '2026-10-24 23:00:00',
      endLocal: '2026-10-25 04:00:00',
      repeat: 'FREQ=DAILY',
    },
  }
  const range = { from: at('2026-10-25T02:00'), to: at('2026-10-28T00:00') }
  expect(spansWithin(shelf, range)).toEqual([
    // Six hours of the night in which the clocks are put back.
    { from: at('2026-10-24T21:00'), to: at('2026-10-25T03:00') },
    { from: at('2026-10-25T22:00'), to: at('2026-10-26T03:00') },
    { from: at('2026-10-26T22:00'), to: at('2026-10-27T00:30') },
  ])
  const evening = { from: at('2026-10-25T10:00'), to: at('2026-10-25T22:00') }
  expect(spansWithin(shelf, evening)).toEqual([{ from: at('2026-10-25T22:00'), to: at('2026-10-26T03:00') }])
  const out = { startAt: at('2026-01-01T00:00'), endAt: null, endedAt: null, window: null }
  expect(spansWithin(out, range)).toEqual([{ from: out.startAt, to: null }])
  expect(spansWithin({ ...out, endedAt: range.from }, range)).toEqual([])
})

test('a shelf without a window is in force from its start until its end, or until somebody ends it', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))
  const shelf: ShelfTimes = { startAt: at(10), endAt: at(40), endedAt: null, window: null }
  expect([9, 10, 39, 40].map((minute) => spanAt(shelf, at(minute)))).toEqual([
    null,
    { from: at(10), to: at(40) },
    { from: at(10), to: at(40) },
    null,
  ])
  expect(spanAt({ ...shelf, endedAt: at(20) }, at(20))).toBeNull()
  expect(spanAt({ ...shelf, endAt: null }, at(5_000))).toEqual({ from: at(10), to: null })
})

test('a rule that is rare is looked for no longer than one that is daily', () => {
  const asked = vi.spyOn(Date.prototype, 'getUTCDate')
  const parsed = vi.spyOn(Date, 'UTC')
  const at = new Date('2026-11-03T00:00:00Z')
  const callsFor = (repeat: string) => {
    asked.mockClear()
    parsed.mockClear()
    const window = {
      timeZone: 'Asia/Shanghai',
      startLocal: '2026-01-29 01:00:00',
      endLocal: '2026-01-29 02:00:00',
      repeat,
    }
    spanAt({ startAt: new Date(0), endAt: null, endedAt: null, window }, at)
    const next = nextSpans(window, at, 3)
    return { next, calls: asked.mock.calls.length + parsed.mock.calls.length }
  }
  try {
    const rare = callsFor('FREQ=MONTHLY;INTERVAL=99')
    expect(rare.next.map(({ from }) => from.toISOString())).toEqual(['2034-04-28T17:00:00.000Z'])
    expect(rare.calls).toBeLessThan(200)
    expect(callsFor('FREQ=MONTHLY;INTERVAL=99;BYMONTHDAY=31').calls).toBeLessThan(200)
    expect(callsFor('FREQ=DAILY;INTERVAL=99').next).toHaveLength(3)
    expect(callsFor('FREQ=WEEKLY;INTERVAL=99;BYDAY=SU,MO').next).toHaveLength(3)
  } finally {
    asked.mockRestore()
    parsed.mockRestore()
  }
})

test('the end of a window that comes daily for years is where its last one ends, and looks at the clocks of no other', () => {
  const window = {
    timeZone: 'Europe/Berlin',
    startLocal: '2026-03-05 01:00:00',
    endLocal: '2026-03-05 03:00:00',
    repeat: 'FREQ=DAILY;UNTIL=20340701',
  }
  const clocks = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts')
  expect(lastEnd(window)).toEqual(new Date('2034-07-01T01:00:00Z'))
  expect(clocks.mock.calls.length).toBeLessThan(20)
  vi.restoreAllMocks()
})
