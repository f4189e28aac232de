import * as z from 'zod/mini'
import { endpoint, page } from './endpoint.ts'
import { deviceCodes, idOut, paging, range, rangeInOrder, saidOut, seededOut, timeOut } from './fields.ts'

/** Why a device, a message or a subscription was refused. */
export const intakeReasons = {
  unknownDevice: '设备未登记',
  wrongSecret: '密钥错误',
  wrongCertificate: '证书无效',
  wrongClientId: '客户端标识错误',
  wrongProtocol: '接入协议不符',
  foreignTopic: '越权主题',
  unknownTopic: '未知主题',
  badSubscription: '订阅被拒绝',
  notJson: '报文不是 JSON',
  badPayload: '报文格式错误',
  tooLarge: '报文过大',
  notStorable: '报文无法入库',
  unmapped: '报文未映射',
  unknownCommand: '没有这条命令',
  unknownUpgrade: '没有这项升级',
  staleUpgrade: '升级进度无效',
  tooManyAlarms: '当前告警过多',
  tooManyCodes: '未知编码过多',
  tooManyBatteries: '电池编号过多',
  tooManyParts: '部件过多',
  tooManyParameters: '参数过多',
  tooManySignIns: '密钥错误过多',
  throttled: '限流中',
} as const
export type IntakeReason = keyof typeof intakeReasons

export const IntakeRefusalRow = z.object({
  id: idOut,
  /** The code that the client sent; it may not be registered. */
  code: z.string(),
  equipId: z.nullable(idOut),
  operatorName: z.nullable(seededOut),
  reason: z.enum(Object.keys(intakeReasons) as [IntakeReason, ...IntakeReason[]]),
  reasonName: z.string(),
  topic: z.nullable(z.string()),
  /** All problems found, in Chinese. */
  detail: z.nullable(saidOut),
  /** The beginning of the payload as printable text. */
  payload: z.nullable(z.string()),
  address: z.nullable(z.string()),
  /** The number of equal refusals within a short time that this row stands for. */
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
      /** Compared with the letters and digits of the code that the client sent. */
      code: z.optional(deviceCodes),
      reason: z.optional(
        z.enum(Object.keys(intakeReasons) as [IntakeReason, ...IntakeReason[]], { error: '拒绝原因无效' }),
      ),
      ...range,
    })
    .check(rangeInOrder),
  reply: page(IntakeRefusalRow),
})
