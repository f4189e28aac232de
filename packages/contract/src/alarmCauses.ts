// Alarms that have one cause, as one line of the current list.
import * as z from 'zod/mini'
import { currentFilters } from './alarms.ts'
import { endpoint, listBodyBytes, one } from './endpoint.ts'
import { idOut, rangeInOrder, seededOut, timeOut } from './fields.ts'

/**
 * What happened at the same time to the devices of an operator in a region, to those that are connected from one network,
 * or to one cabinet that went offline.
 */
export const alarmCauseKinds = ['site', 'network', 'cabinet'] as const
export type AlarmCauseKind = (typeof alarmCauseKinds)[number]

export const AlarmCauseRow = z.object({
  /** What `causeId` of the current list takes: its members. */
  id: idOut,
  kind: z.enum(alarmCauseKinds),
  /** Of a site. */
  operatorId: z.nullable(idOut),
  operatorName: z.nullable(seededOut),
  regionCode: z.nullable(z.string()),
  regionName: z.nullable(seededOut),
  /** Of a network: the beginning of its addresses, `10.1.2.`. */
  network: z.nullable(z.string()),
  /** Of a cabinet. */
  equipId: z.nullable(idOut),
  equipCode: z.nullable(z.string()),
  equipName: z.nullable(z.string()),
  /** From the first to the last of it. */
  startTime: timeOut,
  lastTime: timeOut,
  /** Its active alarms that pass the filters, within the caller's data scope; the same number as the list with `causeId`. */
  alarmCount: z.number(),
  /** Of them, how many nobody has acknowledged. */
  unacknowledgedCount: z.number(),
  /** The gravest of them; null where the dictionary knows none. */
  alarmLevel: z.nullable(z.number()),
  /** The devices that went offline by it and have not come back. */
  offlineCount: z.number(),
  /** The devices concerned. */
  deviceCount: z.number(),
})
export type AlarmCauseRow = z.output<typeof AlarmCauseRow>

/** The causes of which something lasts, the newest first: at most 100. Filters are those of the current list. */
export const listAlarmCauses = endpoint({
  method: ['GET', 'POST'],
  path: '/alarm/cause/list',
  access: 'alarm:page',
  summary: '同因告警',
  bodyLimitBytes: listBodyBytes,
  input: z.object(currentFilters).check(rangeInOrder),
  reply: one(z.array(AlarmCauseRow)),
})
