// Stations that stay with another platform (OCPP): it keeps control, Voltkeep reads along.
import * as z from 'zod/mini'
import { changing, deleting } from './commonCalls.ts'
import { endpoint, one } from './endpoint.ts'
import { byId, exactText, id, oneOf, saidOut, text, timeOut, version } from './fields.ts'

/** `off`: switched off. `waiting`: the station is not connected here. `away`: the other platform cannot be reached. */
export const relayStates = ['off', 'waiting', 'connected', 'away'] as const
export type RelayState = (typeof relayStates)[number]

export const OcppRelay = z.object({
  url: z.string(),
  /** What the station is called there; null: as it calls itself here. */
  identity: z.nullable(z.string()),
  /** Secrets are never answered. */
  hasPassword: z.boolean(),
  hasCa: z.boolean(),
  hasCertificate: z.boolean(),
  isEnabled: z.literal([0, 1]),
  state: z.enum(relayStates),
  /** Since when it is connected there. */
  connectedTime: z.nullable(timeOut),
  lastError: z.nullable(saidOut),
  lastErrorTime: z.nullable(timeOut),
  updateBy: z.nullable(z.string()),
  updateTime: timeOut,
  version: z.number(),
})
export type OcppRelay = z.output<typeof OcppRelay>

/** By the device's id. */
export const readOcppRelay = endpoint({
  method: 'GET',
  path: '/ocpp/relay/detail/:id',
  access: 'equip:list',
  summary: '充电桩的转发',
  input: byId,
  reply: one(z.object({ relay: z.nullable(OcppRelay) })),
})

/** Certificates and a key, each some kilobytes at most. */
const relayBodyBytes = 192 * 1024

const relayForm = {
  /** Without the identity, which is added to it. */
  url: text('原平台地址', 500),
  identity: z.optional(
    text('原平台中的标识', 64).check(z.regex(/^[!-~]*$/, '原平台中的标识只能是可见的英文字符')),
  ),
  /** Of Basic authentication. */
  password: z.optional(exactText('原平台密码', 256)),
  /** PEM texts: of the authority by which the other platform is known, and of the station's certificate there. */
  ca: z.optional(text('CA 证书', 20_000)),
  certificate: z.optional(text('客户端证书', 20_000)),
  key: z.optional(text('客户端私钥', 20_000)),
  isEnabled: z._default(oneOf('启用', [0, 1]), 1),
}

export const insertOcppRelay = endpoint({
  ...changing,
  path: '/ocpp/relay/insert/:id',
  access: 'equip:update',
  summary: '设置充电桩的转发',
  bodyLimitBytes: relayBodyBytes,
  input: z.object({ id: id('设备'), ...relayForm }),
  done: '创建成功',
})

/** Secrets that are left out stay as they are, but for another address, which needs them again. */
export const updateOcppRelay = endpoint({
  ...changing,
  path: '/ocpp/relay/update/:id',
  access: 'equip:update',
  summary: '修改充电桩的转发',
  bodyLimitBytes: relayBodyBytes,
  input: z.object({ id: id('设备'), ...relayForm, version }),
})

export const deleteOcppRelay = endpoint({
  ...deleting,
  path: '/ocpp/relay/delete/:id',
  access: 'equip:update',
  summary: '取消充电桩的转发',
})
