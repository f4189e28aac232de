import * as z from 'zod/mini'
import { topic } from './topic.ts'

export * from './topic.ts'

/** What every message begins with. */
const head = {
  /** Unique per device for at least seven days; a repeated id changes nothing. */
  id: z
    .string({ error: 'id应为文本' })
    .check(z.minLength(1, 'id不能为空'), z.maxLength(64, 'id长度不能超过64')),
  /** When it happened by the device's clock, in milliseconds since 1970 UTC. */
  time: z
    .int({ error: 'time应为毫秒时间戳' })
    .check(
      z.minimum(1_000_000_000_000, 'time应为毫秒时间戳'),
      z.maximum(9_999_999_999_999, 'time应为毫秒时间戳'),
    ),
}

const semaphoreCode = z
  .string({ error: 'code应为文本' })
  .check(z.regex(/^[A-Za-z0-9_]{1,8}$/, 'code应为1到8位字母、数字或下划线'))

const count = (name: string) =>
  z.int({ error: `${name}应为非负整数` }).check(z.minimum(0, `${name}应为非负整数`))

export const AlarmReport = z.object({ ...head, code: semaphoreCode, value: count('value') })
export type AlarmReport = z.output<typeof AlarmReport>

const scalar = z.union([z.string().check(z.maxLength(200)), z.number(), z.boolean()], {
  error: '值应为文本、数字或布尔值',
})

export const EventReport = z.object({
  ...head,
  code: semaphoreCode,
  value: z._default(count('value'), 0),
  /** Whether it tells of a fault. */
  isFault: z._default(z.boolean({ error: 'isFault应为布尔值' }), false),
  /** Free further data. */
  data: z.optional(z.record(z.string().check(z.maxLength(64)), scalar, { error: 'data应为对象' })),
})
export type EventReport = z.output<typeof EventReport>

const shortText = (name: string, max: number) =>
  z
    .string({ error: `${name}应为文本` })
    .check(z.minLength(1, `${name}不能为空`), z.maxLength(max, `${name}长度不能超过${max}`))

export const VersionReport = z.object({
  ...head,
  versions: z
    .array(
      z.object({
        partType: shortText('partType', 64),
        /** Which of several parts of the kind; '0' where there is one. */
        addrId: z._default(shortText('addrId', 16), '0'),
        version: shortText('version', 32),
        hwVersion: z.optional(shortText('hwVersion', 32)),
      }),
      { error: 'versions应为列表' },
    )
    .check(z.minLength(1, 'versions不能为空'), z.maxLength(200, 'versions最多200项')),
})
export type VersionReport = z.output<typeof VersionReport>

export const ParameterReport = z.object({
  ...head,
  parameters: z
    .array(z.object({ id: shortText('参数id', 16), value: scalar }), { error: 'parameters应为列表' })
    .check(z.minLength(1, 'parameters不能为空'), z.maxLength(200, 'parameters最多200项')),
})
export type ParameterReport = z.output<typeof ParameterReport>

export const StatusReport = z.object({
  ...head,
  status: z
    .record(z.string().check(z.minLength(1), z.maxLength(64)), scalar, { error: 'status应为对象' })
    .check(z.refine((status) => Object.keys(status).length <= 100, 'status最多100项')),
})
export type StatusReport = z.output<typeof StatusReport>

/** Also the last will; its id may repeat, since a will is written before it is needed. */
export const ConnectionReport = z.object({ ...head, isOnline: z.boolean({ error: 'isOnline应为布尔值' }) })
export type ConnectionReport = z.output<typeof ConnectionReport>

/** The one typed map of the device protocol, for server, simulator and documents alike. */
export const upTopics = {
  alarm: topic({ name: 'alarm', direction: 'up', summary: '告警上报与恢复', payload: AlarmReport }),
  event: topic({ name: 'event', direction: 'up', summary: '事件上报', payload: EventReport }),
  version: topic({ name: 'version', direction: 'up', summary: '部件版本上报', payload: VersionReport }),
  parameter: topic({ name: 'parameter', direction: 'up', summary: '参数上报', payload: ParameterReport }),
  status: topic({ name: 'status', direction: 'up', summary: '运行状态上报', payload: StatusReport }),
  connection: topic({
    name: 'connection',
    direction: 'up',
    summary: '上线通知与遗嘱',
    payload: ConnectionReport,
  }),
} as const
export type UpTopicName = keyof typeof upTopics

/** Largest payload in bytes that the server reads. */
export const maxPayloadBytes = 65_536
