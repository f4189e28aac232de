// A charging station's password (AuthorizationKey), changed over its own connection.
import * as z from 'zod/mini'
import { changing } from './commonCalls.ts'
import { endpoint, one } from './endpoint.ts'
import { byId, saidOut, timeOut } from './fields.ts'

/**
 * `waiting`: until the station is there. `told`: the station has taken it, and has not come with it yet. `ended`: another
 * secret was set by hand meanwhile.
 */
export const keyChangeStates = ['waiting', 'told', 'done', 'failed', 'ended'] as const
export type KeyChangeState = (typeof keyChangeStates)[number]

export const OcppKeyChange = z.object({
  state: z.enum(keyChangeStates),
  failure: z.nullable(saidOut),
  askBy: z.string(),
  askTime: timeOut,
  toldTime: z.nullable(timeOut),
  doneTime: z.nullable(timeOut),
})
export type OcppKeyChange = z.output<typeof OcppKeyChange>

/** By the device's id: the last one. */
export const readOcppKeyChange = endpoint({
  method: 'GET',
  path: '/ocpp/key/detail/:id',
  access: 'equip:list',
  summary: '充电桩密钥的更换',
  input: byId,
  reply: one(z.object({ change: z.nullable(OcppKeyChange) })),
})

/** The new password is nobody's but the station's: it is not answered. Both are valid until the station has come with it. */
export const renewOcppKey = endpoint({
  ...changing,
  path: '/ocpp/key/renew/:id',
  access: 'equip:secret',
  summary: '远程更换充电桩密钥',
  input: byId,
})
