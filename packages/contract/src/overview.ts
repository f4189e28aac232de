import * as z from 'zod/mini'
import { endpoint, one } from './endpoint.ts'
import { nothingIn, timeOut } from './fields.ts'

/** The present state of the devices in the caller's data scope. */
export const Overview = z.object({
  deviceCount: z.number(),
  onlineCount: z.number(),
  /** Active alarms by level; level 0 stands for codes that the dictionary does not know. */
  activeAlarms: z.array(z.object({ level: z.number(), count: z.number() })),
  devicesWithAlarm: z.number(),
  /** Alarms that began in each of the last 30 days, oldest first. */
  alarmsByDay: z.array(z.object({ day: z.string(), count: z.number() })),
  /** The semaphores with the most active alarms. */
  topAlarms: z.array(
    z.object({
      semaphoreCode: z.string(),
      semaphoreName: z.string(),
      alarmLevel: z.nullable(z.number()),
      count: z.number(),
    }),
  ),
  readTime: timeOut,
})
export type Overview = z.output<typeof Overview>

export const readOverview = endpoint({
  method: 'GET',
  path: '/overview/summary',
  access: 'signedIn',
  summary: '首页概览',
  input: nothingIn,
  reply: one(Overview),
})
