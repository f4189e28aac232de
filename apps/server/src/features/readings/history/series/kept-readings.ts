// What is kept of a device's readings in a time, put together from blocks, statistics and reports that wait.
import type pg from 'pg'
import { atDay, dayOf, startOfDay } from '../../../../platform/process/clock.ts'
import { edgesOfDay, edgesOfMonth, statisticsOfHour } from '../adding-up.ts'
import {
  combined,
  type HourPoints,
  type HourReport,
  mergeHour,
  type Statistics,
  unpackHour,
  unpackReport,
  unpackSlots,
} from '../packing/index.ts'
import { oldestKept, type ReadingRetention } from '../partitions-of-readings.ts'
import { addedUpBefore } from '../sealing.ts'
import * as queries from './series.queries.ts'
import { floorHour } from './series.rules.ts'

const hourMs = 3_600_000

/** Values, by the moments that have one. */
interface Values {
  /** Of the device: those of all its reports of which anything was kept, by hours. */
  deviceTimes: number[]
  series: Map<number, { times: number[]; values: (number | boolean)[] }>
}

/** Statistics by the moment at which their hour or day begins. */
interface Parts {
  deviceTimes: number[]
  series: Map<number, [atMs: number, values: Statistics][]>
}

type Wanted = ReadonlySet<number>

/** The same for a service, which knows of no pool. */
export const keptReadings = (pool: pg.Pool, retention: ReadingRetention) => ({
  values: (deviceId: number, wanted: Wanted, range: queries.Stretch) =>
    readValues(pool, deviceId, wanted, range),
  hourParts: (deviceId: number, wanted: Wanted, range: queries.Stretch) =>
    readHourParts(pool, deviceId, wanted, range, oldestKept(new Date(), retention)),
  dayParts: (deviceId: number, wanted: Wanted, range: queries.Stretch) =>
    readDayParts(pool, deviceId, wanted, range, oldestKept(new Date(), retention)),
})
export type KeptReadings = ReturnType<typeof keptReadings>

/** Every value kept from `from` on, before `to`. */
async function readValues(
  pool: pg.Pool,
  deviceId: number,
  wanted: Wanted,
  { from, to }: queries.Stretch,
): Promise<Values> {
  const hours = await readHourPoints(pool, deviceId, wanted, {
    from: new Date(floorHour(from.getTime())),
    to,
  })
  const all: Values = {
    deviceTimes: [],
    series: new Map([...wanted].map((id) => [id, { times: [], values: [] }])),
  }
  for (const [startMs, { times, series }] of hours) {
    const isInside = times.map((time) => startMs + time >= from.getTime() && startMs + time < to.getTime())
    for (const [at, time] of times.entries()) if (isInside[at]) all.deviceTimes.push(startMs + time)
    for (const [id, values] of series) {
      const into = all.series.get(id)
      if (!into) continue
      for (let at = 0; at < values.length; at += 1) {
        const value = values[at] as number | boolean | null
        if (value === null || !isInside[at]) continue
        into.times.push(startMs + (times[at] as number))
        into.values.push(value)
      }
    }
  }
  return all
}

/** The points of each hour, in order. Blocks are read behind the open reports. */
async function readHourPoints(
  pool: pg.Pool,
  deviceId: number,
  wanted: Wanted,
  range: queries.Stretch,
): Promise<Map<number, HourPoints>> {
  const open = openByHour(await queries.readOpen(pool, deviceId, range), wanted)
  return mergedHours(await queries.readHours(pool, deviceId, range), open, wanted)
}

function openByHour(rows: readonly queries.OpenRow[], wanted: Wanted): Map<number, HourReport[]> {
  const hours = new Map<number, HourReport[]>()
  for (const { at, body } of rows) {
    const startMs = floorHour(at.getTime())
    const { ids, values } = unpackReport(body)
    const places = [...ids.keys()].filter((place) => wanted.has(ids[place] as number))
    const report = {
      time: at.getTime() - startMs,
      ids: places.map((place) => ids[place] as number),
      values: places.map((place) => values[place] as number | boolean),
    }
    const some = hours.get(startMs)
    if (some) some.push(report)
    else hours.set(startMs, [report])
  }
  return hours
}

function mergedHours(
  blocks: readonly queries.HourRow[],
  open: ReadonlyMap<number, HourReport[]>,
  wanted: Wanted,
): Map<number, HourPoints> {
  const hours = new Map<number, HourPoints>()
  for (const { atMs, block } of blocks) hours.set(atMs, unpackHour(block, wanted))
  for (const [startMs, reports] of open) hours.set(startMs, mergeHour(hours.get(startMs) ?? null, reports))
  return new Map([...hours].sort(([a], [b]) => a - b))
}

/**
 * What waits of the hours that begin in a range: of all of each hour, as blocks and statistics have it, or what was
 * reported in it behind the end of the range would be missing until it is packed. Not what is older than `oldest`:
 * packing leaves it out, and the values with which it would have to be reckoned are gone.
 */
const readOpenOfHours = (pool: pg.Pool, deviceId: number, { from, to }: queries.Stretch, oldest: Date) =>
  queries.readOpen(pool, deviceId, {
    from: new Date(Math.max(ceilHour(from.getTime()), oldest.getTime())),
    to: new Date(ceilHour(to.getTime())),
  })
const ceilHour = (atMs: number) => floorHour(atMs + hourMs - 1)

/** The statistics of the hours that begin from `from` on, before `to`. */
async function readHourParts(
  pool: pg.Pool,
  deviceId: number,
  wanted: Wanted,
  { from, to }: queries.Stretch,
  oldest: Date,
): Promise<Parts> {
  const open = openByHour(await readOpenOfHours(pool, deviceId, { from, to }, oldest), wanted)
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
  const blocks = to > addedUpTo ? await queries.readHours(pool, deviceId, { from: addedUpTo, to }) : []
  // Reports that wait may belong to hours that are added up: these are reckoned anew.
  const reopened = [...open.keys()].filter((startMs) => startMs < addedUpTo.getTime())
  blocks.push(...(await queries.readSomeHours(pool, deviceId, reopened)))
  for (const [startMs, points] of mergedHours(blocks, open, wanted))
    hours.set(startMs, statisticsOfHour(points))
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
  const open = await readOpenOfHours(pool, deviceId, { from: start, to: end }, oldest)
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
  const hoursOfOpen = open.map(({ at }) => new Date(floorHour(at.getTime()))).filter((at) => at < addedUpTo)
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
