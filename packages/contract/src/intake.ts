import * as z from 'zod/mini'
import { endpoint, page } from './endpoint.ts'
import { idOut, paging, range, rangeInOrder, text, timeOut } from './fields.ts'

/** Why the broker turned a device, a message or a subscription away. */
export const intakeReasons = {
  unknownDevice: '设备未登记',
  wrongSecret: '密钥错误',
  wrongClientId: '客户端标识错误',
  foreignTopic: '越权主题',
  unknownTopic: '未知主题',
  badSubscription: '订阅被拒绝',
  notJson: '报文不是JSON',
  badPayload: '报文格式错误',
  tooLarge: '报文过大',
  notStorable: '报文无法入库',
} as const
export type IntakeReason = keyof typeof intakeReasons

export const IntakeRefusalRow = z.object({
  id: idOut,
  /** The code the client gave; not necessarily one that is registered. */
  code: z.string(),
  equipId: z.nullable(idOut),
  operatorName: z.nullable(z.string()),
  reason: z.enum(Object.keys(intakeReasons) as [IntakeReason, ...IntakeReason[]]),
  reasonName: z.string(),
  topic: z.nullable(z.string()),
  /** Every problem found, in Chinese. */
  detail: z.nullable(z.string()),
  /** The start of the payload, printable. */
  payload: z.nullable(z.string()),
  address: z.nullable(z.string()),
  /** Equal refusals close together are one row. */
  count: z.number(),
  firstTime: timeOut,
  lastTime: timeOut,
})

export const listIntakeRefusals = endpoint({
  method: 'GET',
  path: '/intake/refusal/page',
  access: 'intake:page',
  summary: '设备接入拒绝记录',
  input: z
    .object({
      ...paging,
      code: z.optional(text('设备编号', 64)),
      reason: z.optional(
        z.enum(Object.keys(intakeReasons) as [IntakeReason, ...IntakeReason[]], { error: '拒绝原因无效' }),
      ),
      ...range,
    })
    .check(rangeInOrder),
  reply: page(IntakeRefusalRow),
})
