// What a battery was like over all the cabinets it was in: the curves of its stays as one, and the same as a sheet.
import * as z from 'zod/mini'
import { exportBatteries, listBatteries, StayRow } from './batteries.ts'
import { exporting } from './commonCalls.ts'
import { endpoint, one } from './endpoint.ts'
import { dateTime, integer, rangeInOrder, text } from './fields.ts'
import { ReadingSeries, seriesLevels } from './readingSeries.ts'

/** The readings of its compartment that are the battery's own. */
export const batterySeriesKeys = ['soc', 'temperature'] as const

/** Of a range with more stays than this, the newest are answered. */
export const mostStaysDrawn = 400

const seriesInput = z
  .object({
    code: text('电池编号', 32, '请输入电池编号'),
    startTime: dateTime('开始时间', '请选择开始时间'),
    endTime: dateTime('结束时间', '请选择结束时间'),
    /** No more points than about this many of each reading. */
    points: z._default(integer('点数', 10, 2_000), 600),
  })
  .check(rangeInOrder)

/**
 * Curves of a battery: what its compartments reported while it was in them, in devices of the caller's scope. Between
 * two stays, and where it was in a device out of the scope, there is a gap.
 */
export const readBatterySeries = endpoint({
  method: 'POST',
  path: '/battery/series',
  access: listBatteries.access,
  summary: '电池曲线',
  input: seriesInput,
  reply: one(
    z.object({
      level: z.enum(seriesLevels),
      /** How long a stretch is. */
      stepSeconds: z.number(),
      /** By `batterySeriesKeys`. */
      series: z.array(ReadingSeries),
      /** Those that reach into the range, by time. */
      stays: z.array(StayRow),
    }),
  ),
})

/** Every value kept of a short time, with where the battery was; of a long one the least, greatest and mean of its hours. */
export const exportBatterySeries = endpoint({
  ...exporting,
  path: '/battery/series/export',
  access: exportBatteries.access,
  summary: '导出电池曲线',
  input: seriesInput,
})
