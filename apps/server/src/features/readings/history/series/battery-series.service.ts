// Curves of a battery over the cabinets it was in, and the sheet of the same.
import {
  batterySeriesKeys,
  compartmentFields,
  type exportBatterySeries,
  type FileReply,
  formatDateTime,
  type ParsedInputFor,
  type readBatterySeries,
} from '@voltkeep/contract'
import type { Actor } from '../../../../platform/calls/actor.ts'
import { fileNameAt, refuseTooManyRows, spreadsheet } from '../../../../platform/files/sheets/spreadsheet.ts'
import { historyRange, startOfDay } from '../../../../platform/process/clock.ts'
import { type Statistics, statisticsOf } from '../packing/index.ts'
import { oldestKept, type ReadingRetention } from '../partitions-of-readings.ts'
import { compartmentId, keptFields } from '../reading-ids.ts'
import type { RuleOf } from '../thinning.ts'
import { batterySheet, type PlacedRow } from './battery-series.export.ts'
import { joined, type Piece, piecesOf } from './battery-series.rules.ts'
import type { KeptReadings } from './kept-readings.ts'
import {
  type Bucket,
  bucketsOfStatistics,
  bucketsOfValues,
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
  rulesOf(deviceId: number): Promise<RuleOf>
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

  async function valuesOf(piece: PieceOfStay) {
    const range = { from: new Date(piece.fromMs), to: new Date(piece.toMs) }
    return kept.values(piece.stay.deviceId, new Set(ids(piece)), range)
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
      const { series } = await valuesOf({ stay, ...edge })
      const atMs = floorHour(edge.fromMs)
      for (const [id, { times, values }] of series) {
        const one = statisticsOf(times, values, atMs + hourMs)
        if (one) all.get(id)?.push([atMs, one])
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
      const { deviceTimes, series } = await valuesOf(piece)
      const usualMs = usualDistance(deviceTimes)
      return ids(piece).map((id) => {
        const { times = [], values = [] } = series.get(id) ?? {}
        return bucketsOfValues(times, values, { stepMs, originMs, longestMs: ruleOf(id).longestMs, usualMs })
      })
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
      const { code, pieces, resolution, rawFromMs } = await understood(actor, input)
      const isRaw = resolution.level === 'raw'
      const rows = (
        await someAtOnce(pieces, async (piece) =>
          isRaw ? valueRows(piece, await valuesOf(piece)) : hourRows(piece, await hoursOf(piece, rawFromMs)),
        )
      ).flat()
      refuseTooManyRows(rows.length)
      return {
        fileName: fileNameAt(`电池_${code}`, new Date()),
        body: spreadsheet(batterySheet(isRaw), async function* () {
          yield rows
        }),
      }
    },
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

function valueRows(piece: PieceOfStay, { series }: Awaited<ReturnType<KeptReadings['values']>>): PlacedRow[] {
  return placedRows(
    piece,
    ids(piece).map((id) => {
      const { times = [], values = [] } = series.get(id) ?? {}
      return times.map((atMs, at) => [atMs, values[at] as number] as const)
    }),
  )
}

const hourRows = (piece: PieceOfStay, hours: Hours): PlacedRow[] =>
  placedRows(
    piece,
    ids(piece).map((id) => hours.get(id) ?? []),
  )

/** A row for each moment at which one of the readings has something. */
function placedRows(
  { stay }: PieceOfStay,
  readings: readonly (readonly (readonly [atMs: number, cell: number | Statistics])[])[],
): PlacedRow[] {
  const rows = new Map<number, (number | Statistics | null)[]>()
  for (const [place, points] of readings.entries()) {
    for (const [atMs, cell] of points) {
      const row = rows.get(atMs) ?? readings.map(() => null)
      row[place] = cell
      rows.set(atMs, row)
    }
  }
  const { deviceCode, compartment } = stay
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
