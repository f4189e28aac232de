// Long tasks that a user started and that continue without the page: all kinds in one list.
import * as z from 'zod/mini'
import { endpoint, one } from './endpoint.ts'
import { idOut, nothingIn, saidOut, timeOut } from './fields.ts'

export const taskKinds = [
  'alarmHandling',
  'alarmRecovery',
  'approval',
  'deviceImport',
  'logExtraction',
  'parameterBatch',
  'upgrade',
] as const
export type TaskKind = (typeof taskKinds)[number]

/** `paused` waits for a user; the last three are final. `failed`: without a result, or a part of it failed. */
export const taskStates = ['running', 'paused', 'done', 'failed', 'cancelled'] as const
export type TaskState = (typeof taskStates)[number]

/** How many hours an ended task stays in the list. */
export const tasksKeptHours = 24

export const Task = z.object({
  kind: z.enum(taskKinds),
  id: idOut,
  /** The subject, e.g. a device, a file or a batch number; null if the kind says enough. */
  subject: z.nullable(saidOut),
  state: z.enum(taskStates),
  /** The progress out of `total`, in alarms, devices or bytes; `total` is null if unknown. */
  done: z.number(),
  total: z.nullable(z.number()),
  /** Part of `done`: failed, and skipped because nothing had to be done. */
  failed: z.number(),
  skipped: z.number(),
  /** Why it failed, or what a batch with a trial does and waits for. */
  reason: z.nullable(saidOut),
  createTime: timeOut,
  finishTime: z.nullable(timeOut),
})
export type Task = z.output<typeof Task>

/** The caller's own running tasks, and those that ended within the last day; the newest first. */
export const listTasks = endpoint({
  method: 'GET',
  path: '/task/list',
  access: 'signedIn',
  summary: '我的任务',
  input: nothingIn,
  reply: one(z.object({ tasks: z.array(Task) })),
})
