// What is kept of a device's readings in a time, put together from blocks, statistics and reports that wait. Values are
// walked hour by hour: a month of a device that reports every second does not fit in memory.
import type pg from 'pg'
import { atDay, dayOf, startOfDay } from '../../../../platform/process/clock.ts'
import { edgesOfDay, edgesOfMonth, statisticsOfHour } from '../adding-up.ts'
import {
  combined,
  type HourPoints,
  type HourReport,
  mergeHour,
  type ReadingValue,
  type Statistics,
  unpackHour,
  unpackReport,
  unpackSlots,
} from '../packing/index.ts'
import type { ReadingRetention } from '../partitions-of-readings.ts'
import { addedUpBefore, oldestTaken } from '../sealing.ts'
import * as queries from './series.queries.ts'
import { floorHour } from './series.rules.ts'

const hourMs = 3_600_000
/** Blocks read at a time: one is of nine megabytes at most. */
const hoursAtOnce = 6
const portionMs = hoursAtOnce * hourMs

/** The values of an hour, or of a part of it. */
export interface HourOfValues {
  /** Of the device: those of all its reports of which anything was kept, ascending. */
  times: number[]
  /** Of each reading one place a time; null where it has none. */
  series: ReadonlyMap<number, readonly (ReadingValue | null)[]>
}

/** Statistics by the moment at which their hour or day begins. */
interface Parts {
  deviceTimes: number[]
  series: Map<number, [atMs: number, values: Statistics][]>
}

type Wanted = ReadonlySet<number>

/** The same for a service, which knows of no pool. */
export const keptReadings = (pool: pg.Pool, retention: ReadingRetention) => {
  const oldest = () => oldestTaken(pool, new Date(), retention)
  return {
    walkValues: async function* (deviceId: number, wanted: Wanted, range: queries.Stretch) {
      yield* walkValues(pool, deviceId, wanted, range, await oldest())
    },
    hourParts: async (deviceId: number, wanted: Wanted, range: queries.Stretch) =>
      await readHourParts(pool, deviceId, wanted, range, await oldest()),
    dayParts: async (deviceId: number, wanted: Wanted, range: queries.Stretch) =>
      await readDayParts(pool, deviceId, wanted, range, await oldest()),
  }
}
export type KeptReadings = ReturnType<typeof keptReadings>

/** Every value kept from `from` on, before `to`, hour by hour. Blocks are read behind the open reports. */
async function* walkValues(
  pool: pg.Pool,
  deviceId: number,
  wanted: Wanted,
  { from, to }: queries.Stretch,
  oldest: Date,
): AsyncGenerator<HourOfValues> {
  const [fromMs, toMs] = [from.getTime(), to.getTime()]
  // What packing will leave out is not shown until then, either.
  const first = new Date(Math.max(floorHour(fromMs), oldest.getTime()))
  const open = openByHour(await queries.readOpen(pool, deviceId, { from: first, to }, wantedOf(wanted)))
  for (let atMs = floorHour(fromMs); atMs < toMs; atMs += portionMs) {
    const endMs = Math.min(atMs + portionMs, toMs)
    const blocks = await queries.readHours(pool, deviceId, { from: new Date(atMs), to: new Date(endMs) })
    for (const [startMs, points] of mergedHours(blocks, hoursWithin(open, atMs, endMs), wanted)) {
      const hour = clipped(startMs, points, fromMs, toMs)
      if (hour.times.length > 0) yield hour
    }
  }
}

function clipped(startMs: number, { times, series }: HourPoints, fromMs: number, toMs: number): HourOfValues {
  const first = times.findIndex((time) => startMs + time >= fromMs)
  const behind = times.findIndex((time) => startMs + time >= toMs)
  const end = behind < 0 ? times.length : behind
  const [begin, isWhole] = [first < 0 ? end : first, first === 0 && end === times.length]
  return {
    times: times.slice(begin, end).map((time) => startMs + time),
    series: isWhole ? series : new Map([...series].map(([id, values]) => [id, values.slice(begin, end)])),
  }
}

/** What of a report is asked for. */
const wantedOf =
  (wanted: Wanted) =>
  ({ at, body }: queries.OpenRow): [startMs: number, report: HourReport] => {
    const startMs = floorHour(at.getTime())
    const { ids, values } = unpackReport(body)
    const places = [...ids.keys()].filter((place) => wanted.has(ids[place] as number))
    return [
      startMs,
      {
        time: at.getTime() - startMs,
        ids: places.map((place) => ids[place] as number),
        values: places.map((place) => values[place] as number | boolean),
      },
    ]
  }

function openByHour(
  rows: readonly (readonly [startMs: number, report: HourReport])[],
): Map<number, HourReport[]> {
  const hours = new Map<number, HourReport[]>()
  for (const [startMs, report] of rows) {
    const some = hours.get(startMs)
    if (some) some.push(report)
    else hours.set(startMs, [report])
  }
  return hours
}

const hoursWithin = <Of>(hours: ReadonlyMap<number, Of>, fromMs: number, toMs: number): Map<number, Of> =>
  new Map([...hours].filter(([startMs]) => startMs >= fromMs && startMs < toMs))

/** The points of each hour, in order, unpacked one after the other. */
function* mergedHours(
  blocks: readonly queries.HourRow[],
  open: ReadonlyMap<number, HourReport[]>,
  wanted: Wanted,
): Generator<[startMs: number, points: HourPoints]> {
  const blockOf = new Map(blocks.map(({ atMs, block }) => [atMs, block]))
  for (const startMs of [...new Set([...blockOf.keys(), ...open.keys()])].sort((a, b) => a - b)) {
    const block = blockOf.get(startMs)
    const points = block ? unpackHour(block, wanted) : null
    const reports = open.get(startMs) ?? []
    if (reports.length > 0) yield [startMs, mergeHour(points, reports)]
    else if (points) yield [startMs, points]
  }
}

/**
 * What waits of the hours that begin in a range: of all of each hour, as blocks and statistics have it, or what was
 * reported in it behind the end of the range would be missing until it is packed. Not what is older than `oldest`:
 * packing leaves it out, and the values with which it would have to be reckoned are gone.
 */
const readOpenOfHours = <Taken>(
  pool: pg.Pool,
  deviceId: number,
  { from, to }: queries.Stretch,
  oldest: Date,
  take: (row: queries.OpenRow) => Taken,
) =>
  queries.readOpen(
    pool,
    deviceId,
    {
      from: new Date(Math.max(ceilHour(from.getTime()), oldest.getTime())),
      to: new Date(ceilHour(to.getTime())),
    },
    take,
  )
const ceilHour = (atMs: number) => floorHour(atMs + hourMs - 1)

/** The statistics of the hours that begin from `from` on, before `to`. */
async function readHourParts(
  pool: pg.Pool,
  deviceId: number,
  wanted: Wanted,
  { from, to }: queries.Stretch,
  oldest: Date,
): Promise<Parts> {
  const open = openByHour(await readOpenOfHours(pool, deviceId, { from, to }, oldest, wantedOf(wanted)))
  const next = await addedUpBefore(pool, 'day')
  // Before this, what the days have is all there is.
  const addedUpTo = next === null ? from : new Date(Math.max(from.getTime(), atDay(next).getTime()))
  const hours = new Map<number, Map<number, Statistics>>()
  if (addedUpTo > from) {
    const last = new Date(Math.min(addedUpTo.getTime(), to.getTime()) - 1)
    for (const { of, block } of await queries.readDays(pool, deviceId, {
      from: dayOf(from),
      to: dayOf(last),
    })) {
      const dayMs = edgesOfDay(of).from.getTime()
      const { slots, series } = unpackSlots(block, wanted)
      for (const [place, slot] of slots.entries()) {
        const atMs = ceilHour(dayMs) + slot * hourMs
        if (atMs < from.getTime() || atMs >= to.getTime()) continue
        const all = new Map<number, Statistics>()
        for (const [id, values] of series) {
          const one = values[place]
          if (one) all.set(id, one)
        }
        hours.set(atMs, all)
      }
    }
  }
  const add = (blocks: readonly queries.HourRow[], some: ReadonlyMap<number, HourReport[]>) => {
    for (const [startMs, points] of mergedHours(blocks, some, wanted))
      hours.set(startMs, statisticsOfHour(points))
  }
  const waiting = hoursWithin(open, addedUpTo.getTime(), to.getTime())
  await queries.eachHours(pool, deviceId, { from: addedUpTo, to }, hoursAtOnce, (blocks) => {
    const some = blocks.map(({ atMs }) => [atMs, waiting.get(atMs) ?? []] as const)
    add(blocks, new Map(some))
    for (const [atMs] of some) waiting.delete(atMs)
  })
  add([], waiting)
  // Reports that wait may belong to hours that are added up: these are reckoned anew.
  const reopened = [...open.keys()].filter((startMs) => startMs < addedUpTo.getTime())
  for (let at = 0; at < reopened.length; at += hoursAtOnce) {
    const some = reopened.slice(at, at + hoursAtOnce)
    add(
      await queries.readSomeHours(pool, deviceId, some),
      new Map(some.map((startMs) => [startMs, open.get(startMs) ?? []])),
    )
  }
  return partsOf(hours, wanted)
}

/** The statistics of the days from that of `from` on, before `to`. */
async function readDayParts(
  pool: pg.Pool,
  deviceId: number,
  wanted: Wanted,
  { from, to }: queries.Stretch,
  oldest: Date,
): Promise<Parts> {
  const start = startOfDay(from)
  const end = startOfDay(new Date(to.getTime() - 1), 1)
  const open = await readOpenOfHours(pool, deviceId, { from: start, to: end }, oldest, ({ at }) =>
    floorHour(at.getTime()),
  )
  const next = await addedUpBefore(pool, 'month')
  const addedUpTo = next === null ? start : new Date(Math.max(start.getTime(), atDay(next).getTime()))
  const days = new Map<number, Map<number, Statistics>>()
  if (addedUpTo > start) {
    const last = new Date(Math.min(addedUpTo.getTime(), to.getTime()) - 1)
    const range = { from: edgesOfMonth(dayOf(start)).from, to: dayOf(last) }
    for (const { of, block } of await queries.readMonths(pool, deviceId, range)) {
      const first = atDay(of)
      const { slots, series } = unpackSlots(block, wanted)
      for (const [place, slot] of slots.entries()) {
        const atMs = startOfDay(first, slot).getTime()
        if (atMs < start.getTime() || atMs >= to.getTime()) continue
        const all = new Map<number, Statistics>()
        for (const [id, values] of series) {
          const one = values[place]
          if (one) all.set(id, one)
        }
        days.set(atMs, all)
      }
    }
  }
  const hours =
    to > addedUpTo
      ? await readHourParts(pool, deviceId, wanted, { from: addedUpTo, to: end }, oldest)
      : { deviceTimes: [], series: new Map() }
  for (const [dayMs, all] of byDay(hours)) days.set(dayMs, all)
  // A report belongs to the day in which its hour begins.
  const hoursOfOpen = [...new Set(open)].map((atMs) => new Date(atMs)).filter((at) => at < addedUpTo)
  const reopened = new Set(hoursOfOpen.map((at) => startOfDay(at).getTime()))
  for (const dayMs of reopened) {
    const day = new Date(dayMs)
    const parts = await readHourParts(pool, deviceId, wanted, { from: day, to: startOfDay(day, 1) }, oldest)
    for (const [atMs, all] of byDay(parts)) days.set(atMs, all)
  }
  return partsOf(days, wanted)
}

function byDay({ deviceTimes, series }: Parts): Map<number, Map<number, Statistics>> {
  const hours = new Map<number, Map<number, Statistics[]>>()
  for (const atMs of deviceTimes) hours.set(startOfDay(new Date(atMs)).getTime(), new Map())
  for (const [id, parts] of series) {
    for (const [atMs, one] of parts) {
      const day = hours.get(startOfDay(new Date(atMs)).getTime())
      const some = day?.get(id)
      if (some) some.push(one)
      else day?.set(id, [one])
    }
  }
  return new Map(
    [...hours].map(([dayMs, all]) => [
      dayMs,
      new Map(
        [...all].flatMap(([id, some]) => {
          const whole = combined(some)
          return whole ? [[id, whole] as const] : []
        }),
      ),
    ]),
  )
}

function partsOf(all: ReadonlyMap<number, ReadonlyMap<number, Statistics>>, wanted: Wanted): Parts {
  const times = [...all.keys()].sort((a, b) => a - b)
  return {
    deviceTimes: times,
    series: new Map(
      [...wanted].map((id) => [
        id,
        times.flatMap((atMs) => {
          const one = all.get(atMs)?.get(id)
          return one ? [[atMs, one] as [number, Statistics]] : []
        }),
      ]),
    ),
  }
}
