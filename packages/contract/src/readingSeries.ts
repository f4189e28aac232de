// What readings were: curves of a time, with what happened to the device meanwhile; and the same as a sheet.
import * as z from 'zod/mini'
import { exporting } from './commonCalls.ts'
import { listDevices } from './devices.ts'
import { endpoint, one } from './endpoint.ts'
import {
  dateTime,
  id,
  idOut,
  integer,
  list,
  rangeInOrder,
  saidOut,
  seededOut,
  text,
  timeOut,
} from './fields.ts'

/** As many readings as one call answers. */
export const mostSeriesKeys = 12

const seriesInput = z
  .object({
    id: id('设备'),
    /** Names in `status`, or `compartments.<no>.<field>`. */
    keys: list(text('读数', 100), '读数', mostSeriesKeys).check(z.minLength(1, '请选择读数')),
    startTime: dateTime('开始时间', '请选择开始时间'),
    endTime: dateTime('结束时间', '请选择结束时间'),
    /** No more points than about this many of each reading. */
    points: z._default(integer('点数', 10, 2_000), 600),
  })
  .check(rangeInOrder)

/**
 * A stretch of time: when it begins, the least, the greatest, the mean and the last value in it. Switches are 0 and 1.
 * Each value weighs in the mean by the time that it held.
 */
const Point = z.tuple([timeOut, z.number(), z.number(), z.number(), z.number()])

export const ReadingSeries = z.object({
  key: z.string(),
  name: saidOut,
  unit: z.nullable(seededOut),
  /**
   * By time; stretches without a value are left out. null stands between two where nothing is known: the device kept
   * silent for longer than a value that does not change may go unreported.
   */
  points: z.array(z.nullable(Point)),
})
export type ReadingSeries = z.output<typeof ReadingSeries>

export const seriesMarkTypes = ['alarm', 'upgrade', 'command', 'offline'] as const
export const SeriesMark = z.object({
  type: z.enum(seriesMarkTypes),
  /** Unique within its type. */
  id: idOut,
  /** The alarm, the part and its version, or the command's topic; empty where it was offline. */
  name: saidOut,
  startTime: timeOut,
  /** null: it goes on. */
  endTime: z.nullable(timeOut),
})
export type SeriesMark = z.output<typeof SeriesMark>

/** The level is that of the stretches: `raw` values, `hour` and `day` statistics, by the range and the points asked for. */
export const seriesLevels = ['raw', 'hour', 'day'] as const
export type SeriesLevel = (typeof seriesLevels)[number]

/** Curves of a device's readings. Marks are those that the caller may see in lists. */
export const readSeries = endpoint({
  method: 'POST',
  path: '/equip/reading/series',
  access: listDevices.access,
  summary: '读数曲线',
  input: seriesInput,
  reply: one(
    z.object({
      level: z.enum(seriesLevels),
      /** How long a stretch is. */
      stepSeconds: z.number(),
      series: z.array(ReadingSeries),
      marks: z.array(SeriesMark),
    }),
  ),
})

/** Every value kept of a short time; of a long one the least, greatest and mean of its hours or days. */
export const exportSeries = endpoint({
  ...exporting,
  path: '/equip/reading/export',
  access: listDevices.access,
  summary: '导出读数',
  input: seriesInput,
})
