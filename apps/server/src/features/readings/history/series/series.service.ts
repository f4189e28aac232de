// Curves of a device's readings and the sheet of the same.
import {
  type exportSeries,
  type FileReply,
  formatDateTime,
  listAlarms,
  listUpgradeLog,
  listUpgradeTasks,
  type ParsedInputFor,
  type readSeries,
  type SeriesMark,
  seriesMarkTypes,
} from '@voltkeep/contract'
import { type Actor, mayCall } from '../../../../platform/calls/actor.ts'
import { refuse } from '../../../../platform/calls/refusal.ts'
import type { Db } from '../../../../platform/database/database.ts'
import { idNumber } from '../../../../platform/database/ids.ts'
import { fileNameAt, refuseTooManyRows, spreadsheet } from '../../../../platform/files/sheets/spreadsheet.ts'
import { historyRange, startOfDay } from '../../../../platform/process/clock.ts'
import { findKeyIds } from '../keys.queries.ts'
import type { Statistics } from '../packing/index.ts'
import { oldestKept, type ReadingRetention } from '../partitions-of-readings.ts'
import { idOfKey } from '../reading-ids.ts'
import type { RuleOf } from '../thinning.ts'
import type { KeptReadings } from './kept-readings.ts'
import { listMarks } from './marks.queries.ts'
import type { WordsByKey } from './reading-words.ts'
import { type SeriesRow, statisticsSheet, valuesSheet } from './series.export.ts'
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

type Input = ParsedInputFor<typeof readSeries>

/** The functions that let a caller see marks of a type; those of a type without an entry are part of the device. */
const neededFor: Partial<Record<SeriesMark['type'], readonly { access: Parameters<typeof mayCall>[1] }[]>> = {
  alarm: [listAlarms],
  upgrade: [listUpgradeLog, listUpgradeTasks],
}
const rowsAtOnce = 1_000

export type SeriesService = ReturnType<typeof createSeries>

export function createSeries({
  db,
  kept,
  findCode,
  rulesOf,
  wordsOf,
  retention,
}: {
  db: Db
  kept: KeptReadings
  /** The code of a device of the caller's scope. */
  findCode(actor: Actor, deviceId: number): Promise<string | undefined>
  rulesOf(deviceId: number): Promise<RuleOf>
  wordsOf(deviceId: number): Promise<WordsByKey>
  retention: ReadingRetention
}) {
  /** What is asked for. Refuses `deviceNotFound`, also out of the caller's scope. */
  async function understood(actor: Actor, { id, keys: asked, points, ...times }: Input) {
    const deviceId = idNumber(id)
    const code = await findCode(actor, deviceId)
    if (code === undefined) refuse('deviceNotFound')
    const keys = [...new Set(asked)]
    const named = await findKeyIds(
      db,
      keys.filter((key) => idOfKey(key) === null),
    )
    const { from, to } = historyRange(times)
    const now = new Date()
    const stands = {
      rawFromMs: oldestKept(now, retention).getTime(),
      hoursFromMs: startOfDay(now, -retention.hourDays).getTime(),
    }
    const resolution = resolutionFor({ fromMs: from.getTime(), toMs: to.getTime() }, points, stands)
    const words = await wordsOf(deviceId)
    return {
      deviceId,
      code,
      from,
      to,
      resolution,
      readings: keys.map((key) => ({ key, id: idOfKey(key) ?? named.get(key), ...words(key) })),
    }
  }

  type Asked = Awaited<ReturnType<typeof understood>>
  const wantedOf = ({ readings }: Asked) =>
    new Set(readings.flatMap(({ id }) => (id === undefined ? [] : [id])))

  async function bucketsById(asked: Asked): Promise<Map<number, Bucket[]>> {
    const { deviceId, from, to, resolution } = asked
    const wanted = wantedOf(asked)
    if (wanted.size === 0) return new Map()
    const originMs = originOf(from.getTime())
    const { stepMs } = resolution
    if (resolution.level === 'raw') {
      const ruleOf = await rulesOf(deviceId)
      const { deviceTimes, series } = await kept.values(deviceId, wanted, { from, to })
      const usualMs = usualDistance(deviceTimes)
      return new Map(
        [...series].map(([id, { times, values }]) => {
          const { longestMs } = ruleOf(id)
          return [id, bucketsOfValues(times, values, { stepMs, originMs, longestMs, usualMs })]
        }),
      )
    }
    const { deviceTimes, series } = await partsOf(asked, resolution)
    const startOf = resolution.level === 'hour' ? startOfHours(stepMs, originMs) : startOfDays(stepMs)
    const usualMs = usualDistance(deviceTimes)
    return new Map([...series].map(([id, parts]) => [id, bucketsOfStatistics(parts, { startOf, usualMs })]))
  }

  async function partsOf(asked: Asked, { level }: Resolution) {
    const { deviceId, from, to } = asked
    const wanted = wantedOf(asked)
    return level === 'hour'
      ? await kept.hourParts(deviceId, wanted, { from: new Date(floorHour(from.getTime())), to })
      : await kept.dayParts(deviceId, wanted, { from: startOfDay(from), to })
  }

  return {
    async readSeries(actor: Actor, input: Input) {
      const asked = await understood(actor, input)
      const types = seriesMarkTypes.filter((type) => {
        const needed = neededFor[type]
        return needed === undefined || needed.some(({ access }) => mayCall(actor, access))
      })
      const [buckets, marks] = await Promise.all([
        bucketsById(asked),
        listMarks(db, asked.deviceId, asked, types),
      ])
      const shownTime = remembering((atMs) => formatDateTime(new Date(atMs)))
      return {
        level: asked.resolution.level,
        stepSeconds: asked.resolution.stepMs / 1_000,
        series: asked.readings.map(({ key, name, unit, id }) => ({
          key,
          name,
          unit,
          points: ((id !== undefined && buckets.get(id)) || []).map(
            (bucket) => bucket && pointOf(bucket, shownTime),
          ),
        })),
        marks,
      }
    },

    /** Refuses 400 for too many rows. */
    async exportSeries(actor: Actor, input: ParsedInputFor<typeof exportSeries>): Promise<FileReply> {
      const asked = await understood(actor, input)
      const rows = await rowsOf(asked)
      refuseTooManyRows(rows.length)
      const sheet = (asked.resolution.level === 'raw' ? valuesSheet : statisticsSheet)(asked.readings)
      return {
        fileName: fileNameAt(`读数_${asked.code}`, new Date()),
        body: spreadsheet(sheet, () => inPortions(rows)),
      }
    },
  }

  /** By time: a row for each moment at which one of the readings has something. */
  async function rowsOf(asked: Asked): Promise<SeriesRow[]> {
    const { deviceId, from, to, resolution, readings } = asked
    const cells = new Map<number, (number | boolean | Statistics | null)[]>()
    const put = (atMs: number, id: number, value: number | boolean | Statistics) => {
      let row = cells.get(atMs)
      if (!row) {
        row = readings.map(() => null)
        cells.set(atMs, row)
      }
      for (const [place, reading] of readings.entries()) if (reading.id === id) row[place] = value
    }
    if (wantedOf(asked).size === 0) return []
    if (resolution.level === 'raw') {
      const { series } = await kept.values(deviceId, wantedOf(asked), { from, to })
      for (const [id, { times, values }] of series)
        for (const [at, time] of times.entries()) put(time, id, values[at] as number | boolean)
    } else {
      const { series } = await partsOf(asked, resolution)
      for (const [id, parts] of series) for (const [atMs, one] of parts) put(atMs, id, one)
    }
    return [...cells].sort(([a], [b]) => a - b).map(([atMs, row]) => ({ atMs, cells: row }))
  }
}

async function* inPortions(rows: readonly SeriesRow[]): AsyncGenerator<readonly SeriesRow[]> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) yield rows.slice(at, at + rowsAtOnce)
}

/** The same for the same: all curves of a call have the same moments. */
function remembering(make: (atMs: number) => string): (atMs: number) => string {
  const made = new Map<number, string>()
  return (atMs) => {
    let text = made.get(atMs)
    if (text === undefined) {
      text = make(atMs)
      made.set(atMs, text)
    }
    return text
  }
}
