// Curves of a battery over the cabinets it was in, and the sheet of the same.
import {
  batterySeriesKeys,
  compartmentFields,
  compartmentKey,
  type exportBatterySeries,
  type FileReply,
  formatDateTime,
  type ParsedInputFor,
  type readBatterySeries,
} from '@voltkeep/contract'
import type { Actor } from '../../../../platform/calls/actor.ts'
import { fileNameAt, refuseTooManyRows, spreadsheet } from '../../../../platform/files/sheets/spreadsheet.ts'
import { historyRange, startOfDay } from '../../../../platform/process/clock.ts'
import type { RuleOfKey } from '../device-rules.ts'
import { type ReadingValue, type Statistics, statisticsOf } from '../packing/index.ts'
import { oldestKept, type ReadingRetention } from '../partitions-of-readings.ts'
import { compartmentId, keptFields } from '../reading-ids.ts'
import { batterySheet, type PlacedRow } from './battery-series.export.ts'
import { joined, type Piece, piecesOf } from './battery-series.rules.ts'
import { bucketsOfHours, rowsOfHour } from './hours-of-values.ts'
import type { KeptReadings } from './kept-readings.ts'
import {
  type Bucket,
  bucketsOfStatistics,
  floorHour,
  originOf,
  pointOf,
  type Resolution,
  resolutionFor,
  startOfDays,
  startOfHours,
  usualDistance,
} from './series.rules.ts'

/** A stay of a battery, in a device of the caller's scope. */
export interface BatteryStay {
  id: string
  deviceId: number
  deviceCode: string
  deviceName: string | null
  regionName: string
  compartment: number
  startTime: Date
  endTime: Date | null
  seenTime: Date
  socIn: number | null
  socOut: number | null
  isConflict: boolean
}

/** Those of the caller's scope that reach into the range, the newest first. Refuses `batteryNotFound`. */
export type StaysOf = (actor: Actor, wanted: { code: string; from: Date; to: Date }) => Promise<BatteryStay[]>

export type BatterySeriesService = ReturnType<typeof createBatterySeries>

type Input = ParsedInputFor<typeof readBatterySeries>
type PieceOfStay = Piece<BatteryStay>
/** Statistics by the hour in which they begin, by reading. */
type Hours = Map<number, [atMs: number, values: Statistics][]>

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Pieces read at a time: each takes up to four queries. */
const piecesAtOnce = 4

const ids = ({ stay }: PieceOfStay) =>
  batterySeriesKeys.map((key) => compartmentId(stay.compartment, keptFields.indexOf(key)))

export function createBatterySeries({
  kept,
  rulesOf,
  staysOf,
  retention,
}: {
  kept: KeptReadings
  rulesOf(deviceId: number): Promise<RuleOfKey>
  staysOf: StaysOf
  retention: ReadingRetention
}) {
  async function understood(actor: Actor, { code, points, ...times }: Input) {
    const { from, to } = historyRange(times)
    const stays = (await staysOf(actor, { code, from, to })).reverse()
    const now = new Date()
    const rawFromMs = oldestKept(now, retention).getTime()
    const resolution = resolutionFor({ fromMs: from.getTime(), toMs: to.getTime() }, points, {
      rawFromMs,
      hoursFromMs: startOfDay(now, -retention.hourDays).getTime(),
    })
    return { code, from, stays, pieces: piecesOf(stays, { from, to }), resolution, rawFromMs }
  }

  function walkValues(piece: PieceOfStay) {
    const range = { from: new Date(piece.fromMs), to: new Date(piece.toMs) }
    return kept.walkValues(piece.stay.deviceId, new Set(ids(piece)), range)
  }

  /**
   * Its whole hours by their statistics. Of an hour that it has a part of, the statistics are another battery's too: that
   * part is reckoned from values, and is missing where these are no longer kept.
   */
  async function hoursOf(piece: PieceOfStay, rawFromMs: number): Promise<Hours> {
    const { fromMs, toMs, stay } = piece
    const firstMs = floorHour(fromMs + hourMs - 1)
    const lastMs = floorHour(toMs)
    const all: Hours = new Map(ids(piece).map((id) => [id, []]))
    const addEdge = async (edge: { fromMs: number; toMs: number }) => {
      if (edge.fromMs >= edge.toMs || edge.fromMs < rawFromMs) return
      // An edge is a part of one hour.
      for await (const { times, series } of walkValues({ stay, ...edge })) {
        const atMs = floorHour(edge.fromMs)
        for (const [id, values] of series) {
          const present = [...values.keys()].filter((at) => values[at] !== null)
          const one = statisticsOf(
            present.map((at) => times[at] as number),
            present.map((at) => values[at] as ReadingValue),
            atMs + hourMs,
          )
          if (one) all.get(id)?.push([atMs, one])
        }
      }
    }
    await addEdge({ fromMs, toMs: Math.min(firstMs, toMs) })
    if (lastMs > firstMs) {
      const range = { from: new Date(firstMs), to: new Date(lastMs) }
      const { series } = await kept.hourParts(stay.deviceId, new Set(ids(piece)), range)
      for (const [id, parts] of series) all.get(id)?.push(...parts)
    }
    if (lastMs >= firstMs) await addEdge({ fromMs: lastMs, toMs })
    return all
  }

  /** By reading, in the order of `batterySeriesKeys`. */
  async function bucketsOf(
    piece: PieceOfStay,
    { level, stepMs }: Resolution,
    { from, rawFromMs }: { from: Date; rawFromMs: number },
  ): Promise<Bucket[][]> {
    const originMs = originOf(from.getTime())
    if (level === 'raw') {
      const ruleOf = await rulesOf(piece.stay.deviceId)
      const of = ids(piece)
      const longest = new Map(
        batterySeriesKeys.map((key, at) => [
          of[at],
          ruleOf(compartmentKey(piece.stay.compartment, key)).longestMs,
        ]),
      )
      const buckets = await bucketsOfHours(walkValues(piece), new Set(of), (id) => ({
        stepMs,
        originMs,
        longestMs: longest.get(id) as number,
      }))
      return of.map((id) => buckets.get(id) ?? [])
    }
    const hours = await hoursOf(piece, rawFromMs)
    const all = [...hours.values()]
    const isDays = level === 'day'
    const units = isDays ? all.map(daysOf) : all
    const times = [...new Set(units.flatMap((parts) => parts.map(([atMs]) => atMs)))].sort((a, b) => a - b)
    const startOf = isDays ? startOfDays(stepMs) : startOfHours(stepMs, originMs)
    return units.map((parts) => bucketsOfStatistics(parts, { startOf, usualMs: usualDistance(times) }))
  }

  return {
    /** Refuses `batteryNotFound`. */
    async readBatterySeries(actor: Actor, input: Input) {
      const asked = await understood(actor, input)
      const curves = await someAtOnce(asked.pieces, (piece) => bucketsOf(piece, asked.resolution, asked))
      return {
        level: asked.resolution.level,
        stepSeconds: asked.resolution.stepMs / 1_000,
        series: batterySeriesKeys.map((key, place) => ({
          key,
          ...compartmentFields[key],
          points: joined(curves.map((all) => all[place] ?? [])).map(
            (bucket) => bucket && pointOf(bucket, (atMs) => formatDateTime(new Date(atMs))),
          ),
        })),
        stays: asked.stays,
      }
    },

    /** Refuses `batteryNotFound`, and 400 for too many rows. */
    async exportBatterySeries(
      actor: Actor,
      input: ParsedInputFor<typeof exportBatterySeries>,
    ): Promise<FileReply> {
      const asked = await understood(actor, input)
      let count = 0
      for await (const rows of batchesOf(asked)) count += rows.length
      refuseTooManyRows(count)
      return {
        fileName: fileNameAt(`电池_${asked.code}`, new Date()),
        body: spreadsheet(batterySheet(asked.resolution.level === 'raw'), () => batchesOf(asked)),
      }
    },
  }

  /** Piece by piece: rows are read twice, once to be counted, and none is kept. */
  async function* batchesOf({
    pieces,
    resolution,
    rawFromMs,
  }: Awaited<ReturnType<typeof understood>>): AsyncGenerator<PlacedRow[]> {
    for (const piece of pieces) {
      const { deviceCode, compartment } = piece.stay
      if (resolution.level !== 'raw') yield hourRows(piece, await hoursOf(piece, rawFromMs))
      else
        for await (const hour of walkValues(piece))
          yield rowsOfHour(hour, ids(piece)).map((row) => ({ ...row, deviceCode, compartment }))
    }
  }
}

/** The days of hours. */
function daysOf(hours: [atMs: number, values: Statistics][]): [atMs: number, values: Statistics][] {
  const days = bucketsOfStatistics(hours, {
    startOf: startOfDays(dayMs),
    usualMs: Number.POSITIVE_INFINITY,
  })
  return days.flatMap((day) => (day ? [[day[0], day[1]] as [number, Statistics]] : []))
}

/** A row for each hour in which one of the readings has something. */
function hourRows(piece: PieceOfStay, hours: Hours): PlacedRow[] {
  const { deviceCode, compartment } = piece.stay
  const all = ids(piece)
  const rows = new Map<number, (Statistics | null)[]>()
  for (const [place, id] of all.entries()) {
    for (const [atMs, cell] of hours.get(id) ?? []) {
      const row = rows.get(atMs) ?? all.map(() => null)
      row[place] = cell
      rows.set(atMs, row)
    }
  }
  return [...rows]
    .sort(([a], [b]) => a - b)
    .map(([atMs, cells]) => ({ atMs, cells, deviceCode, compartment }))
}

async function someAtOnce<One, Made>(
  all: readonly One[],
  make: (one: One) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = []
  for (let at = 0; at < all.length; at += piecesAtOnce)
    made.push(...(await Promise.all(all.slice(at, at + piecesAtOnce).map(make))))
  return made
}
