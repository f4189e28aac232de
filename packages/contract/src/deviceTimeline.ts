// The timeline of one device: entries of every kind, newest first.
import * as z from 'zod/mini'
import { exporting } from './commonCalls.ts'
import { exportDevices } from './deviceImport.ts'
import { endpoint, one } from './endpoint.ts'
import { id, idOut, integer, list, range, rangeInOrder, timeOut } from './fields.ts'

export const timelineKinds = [
  'alarm',
  'handling',
  'event',
  'connection',
  'command',
  'action',
  'upgrade',
  'batch',
  'log',
  'advertisement',
  'operation',
] as const
export type TimelineKind = (typeof timelineKinds)[number]

const Values = z.nullable(z.record(z.string(), z.unknown()))

const TimelineEntry = z.object({
  kind: z.enum(timelineKinds),
  /** Unique within its kind. */
  id: idOut,
  /** When it happened; for work with states (command, action, upgrade, batch, advertisement), when the state last changed. */
  time: timeOut,
  /** The subject: an alarm with what its value means, an event, part, batch, advertisement or operation; null for a connection. */
  name: z.nullable(z.string()),
  /** The state, with the values of its kind: `online`, `succeeded`, `recovered` … */
  state: z.nullable(z.string()),
  level: z.nullable(z.number()),
  /** The reported value of an alarm or an event; of a batch 试行 where the device was one of its trial. */
  value: z.nullable(z.string()),
  /** Additional text: the address of a connection, the version of an upgrade, the reason of a failure, a note. */
  detail: z.nullable(z.string()),
  /** The user's name. */
  by: z.nullable(z.string()),
  /** When an alarm recovered. */
  endTime: z.nullable(timeOut),
  /** What a user's operation changed: the fields before and after. */
  changes: z.nullable(z.object({ before: Values, after: Values })),
})
export type TimelineEntry = z.output<typeof TimelineEntry>

const filters = {
  id: id('设备'),
  kinds: z.optional(list(z.enum(timelineKinds, '类型无效'), '类型', timelineKinds.length)),
  /** By the moment of an entry; a day as the end jumps to that day. */
  ...range,
}

/**
 * A page of the timeline; `before` is the `next` of the page above it. Kinds that the caller may not list elsewhere are
 * left out, and operations are those of users that the caller sees in the operation log.
 */
export const readDeviceTimeline = endpoint({
  method: 'GET',
  path: '/equip/timeline/:id',
  access: 'equip:list',
  summary: '设备动态',
  input: z
    .object({
      ...filters,
      before: z.optional(
        z
          .string()
          .check(
            z.regex(
              /^\d{4}-\d{2}-\d{2} [\d:.]{8,15}(?:[+-]\d{2}(?::\d{2})?)\|[a-z]{3,13}\|[\w-]{1,36}$/,
              '起点无效',
            ),
          ),
      ),
      limit: z._default(integer('条数', 1, 100), 20),
    })
    .check(rangeInOrder),
  reply: one(
    z.object({
      entries: z.array(TimelineEntry),
      /** The cursor of the next page; null at the end. */
      next: z.nullable(z.string()),
      /** The kinds that this caller may see. */
      kinds: z.array(z.enum(timelineKinds)),
    }),
  ),
})

/** The same as a sheet, newest first; without a range, that of the last 30 days. */
export const exportDeviceTimeline = endpoint({
  ...exporting,
  path: '/equip/timeline/export/:id',
  access: exportDevices.access,
  summary: '导出设备动态',
  input: z.object(filters).check(rangeInOrder),
})
