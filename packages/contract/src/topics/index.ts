import * as z from 'zod/mini'
import { topic } from './topic.ts'

export * from './topic.ts'

// The server puts the field's path before these messages, and says itself where a field is missing.

/** Says in the protocol's documents what a field is. Costs nothing when a message is checked. */
function said<S extends z.ZodMiniType>(description: string, schema: S): S {
  z.globalRegistry.add(schema, { description })
  return schema
}

const shortText = (most: number) =>
  z.string({ error: '应为文本' }).check(z.minLength(1, '不能为空'), z.maxLength(most, `长度不能超过${most}`))

/** What every message begins with. */
const head = {
  id: said('Unique per device for at least seven days; a repeated id changes nothing.', shortText(64)),
  time: said(
    "When it happened by the device's clock, in milliseconds since 1970 UTC.",
    z
      .int({ error: '应为毫秒时间戳' })
      .check(z.minimum(1_000_000_000_000, '应为毫秒时间戳'), z.maximum(9_999_999_999_999, '应为毫秒时间戳')),
  ),
}

const semaphoreCode = (description: string) =>
  said(
    description,
    z.string({ error: '应为文本' }).check(z.regex(/^[A-Za-z0-9_]{1,8}$/, '应为1到8位字母、数字或下划线')),
  )

const largest = Number.MAX_SAFE_INTEGER
const count = () =>
  z
    .int({
      error: ({ input }) =>
        typeof input === 'number' && input > largest ? `不能超过${largest}` : '应为非负整数',
    })
    .check(z.minimum(0, '应为非负整数'))

export const AlarmReport = z.object({
  ...head,
  code: semaphoreCode("The alarm's semaphore code, as the console's dictionary knows it."),
  value: said(
    'What is wrong: a bit mask or a code, by the semaphore. Nonzero opens or updates the alarm, 0 recovers it.',
    count(),
  ),
})
export type AlarmReport = z.output<typeof AlarmReport>

const scalar = z.union([z.string().check(z.maxLength(200, '长度不能超过200')), z.number(), z.boolean()], {
  error: '应为文本、数字或布尔值',
})

const recordError =
  (nameLength: string) =>
  ({ code }: { code?: string }) =>
    code === 'invalid_key' ? `的名称长度${nameLength}` : '应为对象'

export const EventReport = z.object({
  ...head,
  code: semaphoreCode("The event's semaphore code."),
  value: said('A number that goes with the event, e.g. the compartment.', z._default(count(), 0)),
  isFault: said('Whether it tells of a fault.', z._default(z.boolean({ error: '应为布尔值' }), false)),
  data: said(
    'Free further data: texts of at most 200 characters, numbers, booleans.',
    z.optional(z.record(z.string().check(z.maxLength(64)), scalar, { error: recordError('不能超过64') })),
  ),
})
export type EventReport = z.output<typeof EventReport>

export const VersionReport = z.object({
  ...head,
  versions: said(
    'The parts that this report is about.',
    z
      .array(
        z.object(
          {
            partType: said('Kind of part, e.g. PART_TYPE_EC_MASTER.', shortText(64)),
            addrId: said(
              "Which of several parts of the kind, e.g. the compartment's number.",
              z._default(shortText(16), '0'),
            ),
            version: said('Software version.', shortText(32)),
            hwVersion: said('Hardware version.', z.optional(shortText(32))),
          },
          { error: '应为对象' },
        ),
        { error: '应为列表' },
      )
      .check(z.minLength(1, '不能为空'), z.maxLength(200, '最多200项')),
  ),
})
export type VersionReport = z.output<typeof VersionReport>

export const ParameterReport = z.object({
  ...head,
  parameters: said(
    'The parameters that this report is about; those left out keep their last value.',
    z
      .array(
        z.object(
          {
            id: said('Parameter id, e.g. 02121005.', shortText(16)),
            value: said('Text of at most 200 characters, number or boolean.', scalar),
          },
          { error: '应为对象' },
        ),
        { error: '应为列表' },
      )
      .check(z.minLength(1, '不能为空'), z.maxLength(200, '最多200项')),
  ),
})
export type ParameterReport = z.output<typeof ParameterReport>

export const StatusReport = z.object({
  ...head,
  status: said(
    'At most 100 readings under names of your own, 1 to 64 characters, shown to operators as they are.',
    z
      .record(z.string().check(z.minLength(1), z.maxLength(64)), scalar, {
        error: recordError('应为1到64'),
      })
      .check(z.refine((status) => Object.keys(status).length <= 100, '最多100项')),
  ),
})
export type StatusReport = z.output<typeof StatusReport>

/** Also the last will; its id may repeat, since a will is written before it is needed. */
export const ConnectionReport = z.object({
  ...head,
  isOnline: said(
    'true right after connecting, false before leaving and in the last will.',
    z.boolean({ error: '应为布尔值' }),
  ),
})
export type ConnectionReport = z.output<typeof ConnectionReport>

/** The one typed map of the device protocol, for server, simulator and documents alike. */
export const upTopics = {
  alarm: topic({
    name: 'alarm',
    direction: 'up',
    summary: '告警上报与恢复',
    payload: AlarmReport,
    example: { id: 'a-1', time: 1_767_225_600_000, code: '01110002', value: 5 },
  }),
  event: topic({
    name: 'event',
    direction: 'up',
    summary: '事件上报',
    payload: EventReport,
    example: {
      id: 'e-1',
      time: 1_767_225_600_000,
      code: '03110004',
      value: 3,
      isFault: true,
      data: { compartment: 3, user: 'U1024' },
    },
  }),
  version: topic({
    name: 'version',
    direction: 'up',
    summary: '部件版本上报',
    payload: VersionReport,
    example: {
      id: 'v-1',
      time: 1_767_225_600_000,
      versions: [
        { partType: 'PART_TYPE_EC_MASTER', version: '1.4', hwVersion: '2' },
        { partType: 'PART_TYPE_EC_BIN', addrId: '1', version: '1.2' },
        { partType: 'PART_TYPE_EC_BIN', addrId: '2', version: '1.2' },
      ],
    },
  }),
  parameter: topic({
    name: 'parameter',
    direction: 'up',
    summary: '参数上报',
    payload: ParameterReport,
    example: {
      id: 'p-1',
      time: 1_767_225_600_000,
      parameters: [
        { id: '02121005', value: 95 },
        { id: '02121010', value: '2222220' },
      ],
    },
  }),
  status: topic({
    name: 'status',
    direction: 'up',
    summary: '运行状态上报',
    payload: StatusReport,
    example: {
      id: 's-1',
      time: 1_767_225_600_000,
      status: { 柜内温度: 31.5, 在位电池数: 8, 市电正常: true },
    },
  }),
  connection: topic({
    name: 'connection',
    direction: 'up',
    summary: '上线通知与遗嘱',
    payload: ConnectionReport,
    example: { id: 'c-1', time: 1_767_225_600_000, isOnline: true },
  }),
} as const
export type UpTopicName = keyof typeof upTopics

/** Largest payload in bytes that the server reads. */
export const maxPayloadBytes = 65_536
