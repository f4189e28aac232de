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
import type { RuleOfKey } from '../device-rules.ts'
import { findKeyIds } from '../keys.queries.ts'
import type { Statistics } from '../packing/index.ts'
import { oldestKept, type ReadingRetention } from '../partitions-of-readings.ts'
import { idOfKey } from '../reading-ids.ts'
import { bucketsOfHours, rowsOfHour } from './hours-of-values.ts'
import type { KeptReadings } from './kept-readings.ts'
import { listMarks } from './marks.queries.ts'
import type { WordsByKey } from './reading-words.ts'
import { type SeriesRow, statisticsSheet, valuesSheet } from './series.export.ts'
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

type Input = ParsedInputFor<typeof readSeries>

/** The functions that let a caller see marks of a type; those of a type without an entry are part of the device. */
const neededFor: Partial<Record<SeriesMark['type'], readonly { access: Parameters<typeof mayCall>[1] }[]>> = {
  alarm: [listAlarms],
  upgrade: [listUpgradeLog, listUpgradeTasks],
}

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
  rulesOf(deviceId: number): Promise<RuleOfKey>
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
      const longest = new Map(asked.readings.map(({ id, key }) => [id, ruleOf(key).longestMs]))
      const hours = kept.walkValues(deviceId, wanted, { from, to })
      return bucketsOfHours(hours, wanted, (id) => ({
        stepMs,
        originMs,
        longestMs: longest.get(id) as number,
      }))
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

    /** Refuses 400 for too many rows, which are read twice: once to be counted, and none is kept. */
    async exportSeries(actor: Actor, input: ParsedInputFor<typeof exportSeries>): Promise<FileReply> {
      const asked = await understood(actor, input)
      let count = 0
      for await (const rows of batchesOf(asked)) count += rows.length
      refuseTooManyRows(count)
      const sheet = (asked.resolution.level === 'raw' ? valuesSheet : statisticsSheet)(asked.readings)
      return {
        fileName: fileNameAt(`读数_${asked.code}`, new Date()),
        body: spreadsheet(sheet, () => batchesOf(asked)),
      }
    },
  }

  /** By time: a row for each moment at which one of the readings has something. */
  async function* batchesOf(asked: Asked): AsyncGenerator<SeriesRow[]> {
    const { deviceId, from, to, resolution, readings } = asked
    const wanted = wantedOf(asked)
    if (wanted.size === 0) return
    if (resolution.level === 'raw') {
      const ids = readings.map(({ id }) => id)
      for await (const hour of kept.walkValues(deviceId, wanted, { from, to })) yield rowsOfHour(hour, ids)
      return
    }
    const cells = new Map<number, (Statistics | null)[]>()
    const { series } = await partsOf(asked, resolution)
    for (const [place, { id }] of readings.entries())
      for (const [atMs, one] of (id !== undefined && series.get(id)) || []) {
        const row = cells.get(atMs) ?? readings.map(() => null)
        row[place] = one
        cells.set(atMs, row)
      }
    yield [...cells].sort(([a], [b]) => a - b).map(([atMs, row]) => ({ atMs, cells: row }))
  }
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
