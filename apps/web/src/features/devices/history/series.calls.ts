// The calls of curves. The types stand here until the contract has them.

import { exporting } from '@voltkeep/contract/commonCalls'
import { listDevices } from '@voltkeep/contract/devices'
import { endpoint, one } from '@voltkeep/contract/endpoint'
import { dateTime, id, idOut, list, timeOut } from '@voltkeep/contract/fields'
import * as z from 'zod/mini'

export const mostKeys = 12

const input = z.object({
  id: id('设备'),
  keys: list(z.string(), '读数', mostKeys),
  startTime: dateTime('开始时间'),
  endTime: dateTime('结束时间'),
  points: z._default(z.number(), 600),
})

export const readSeries = endpoint({
  method: 'POST',
  path: '/equip/reading/series',
  access: listDevices.access,
  summary: '读数曲线',
  input,
  reply: one(
    z.object({
      level: z.enum(['raw', 'hour', 'day']),
      stepSeconds: z.number(),
      series: z.array(
        z.object({
          key: z.string(),
          name: z.string(),
          unit: z.nullable(z.string()),
          points: z.array(z.nullable(z.tuple([timeOut, z.number(), z.number(), z.number(), z.number()]))),
        }),
      ),
      marks: z.array(
        z.object({
          type: z.enum(['alarm', 'upgrade', 'command', 'offline']),
          id: idOut,
          name: z.string(),
          startTime: timeOut,
          endTime: z.nullable(timeOut),
        }),
      ),
    }),
  ),
})

export const exportSeries = endpoint({
  ...exporting,
  path: '/equip/reading/export',
  access: listDevices.access,
  summary: '导出读数',
  input,
})
