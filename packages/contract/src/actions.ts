// Remote actions: what a user has a device do at once, and what the device reported of it afterwards.
import * as z from 'zod/mini'
import { endpoint, type FunctionCode, listBodyBytes, one, page } from './endpoint.ts'
import {
  deviceCodes,
  id,
  idOut,
  idsIn,
  integer,
  list,
  paging,
  range,
  rangeInOrder,
  saidOut,
  seededOut,
  text,
  timeOut,
} from './fields.ts'
import { liveRows } from './live.ts'
import { remoteActions } from './topics/actions.ts'

export { type RemoteAction, remoteActions } from './topics/actions.ts'

/** The Chinese name of each action. */
export const remoteActionNames = {
  openDoor: '打开仓门',
  disableCompartment: '停用仓位',
  enableCompartment: '启用仓位',
  stopCharging: '停止充电',
  restart: '重启设备',
  reportStatus: '刷新状态',
} as const satisfies Record<(typeof remoteActions)[number], string>

/** The function that each action needs. */
export const remoteActionCodes = {
  openDoor: 'equip:open',
  disableCompartment: 'equip:compartment',
  enableCompartment: 'equip:compartment',
  stopCharging: 'equip:charging',
  restart: 'equip:restart',
  reportStatus: 'equip:refresh',
} as const satisfies Record<(typeof remoteActions)[number], FunctionCode>

/** Whether an action names a compartment: it must, it may, or it must not. */
export const compartmentOfAction = {
  openDoor: 'needed',
  disableCompartment: 'needed',
  enableCompartment: 'needed',
  stopCharging: 'optional',
  restart: 'none',
  reportStatus: 'none',
} as const satisfies Record<(typeof remoteActions)[number], 'needed' | 'optional' | 'none'>

/** How long a device has for its answer, in seconds. For as long two presses of the same are one. */
export const remoteActionSeconds = 60

/** How long a report that shows the result is waited for after the answer, in seconds. */
export const confirmationSeconds = {
  openDoor: 60,
  disableCompartment: 60,
  enableCompartment: 60,
  stopCharging: 60,
  restart: 300,
  reportStatus: 60,
} as const satisfies Record<(typeof remoteActions)[number], number>

/**
 * What has become of an action. `sent`: no answer yet. `acknowledged`: answered as done, and no report shows it yet.
 * The others are final: `confirmed`: a report of the device shows it. `unconfirmed`: answered as done, but no report
 * showed it in time. `failed`, `refused`: in the device's words. `expired`: no answer in time. `stopped`: taken back
 * before it was sent, because who asked for it may not any more.
 */
export const remoteActionStates = [
  'sent',
  'acknowledged',
  'confirmed',
  'unconfirmed',
  'failed',
  'refused',
  'expired',
  'stopped',
] as const
export type RemoteActionState = (typeof remoteActionStates)[number]

const actionIn = z.enum(remoteActions, { error: '操作无效' })

/** Sends the command at once. A device that is offline is refused: nothing waits for it. */
export const actOnDevice = endpoint({
  method: 'POST',
  path: '/equip/action/:id',
  access: ['equip:open', 'equip:compartment', 'equip:charging', 'equip:restart', 'equip:refresh'],
  summary: '远程操作设备',
  input: z
    .object({
      id: id('设备'),
      action: actionIn,
      /** The compartment's number. */
      compartment: z.optional(integer('仓位', 1, 64)),
      reason: text('操作原因', 200),
    })
    .check(
      z.check<{ action?: unknown; compartment?: unknown }>(
        ({ value: { action, compartment }, issues }) => {
          if (typeof action !== 'string' || !Object.hasOwn(compartmentOfAction, action)) return
          const rule = compartmentOfAction[action as keyof typeof compartmentOfAction]
          const refuse = (message: string) =>
            issues.push({ code: 'custom', path: ['compartment'], message, input: compartment })
          if (rule === 'needed' && compartment === undefined) refuse('请选择仓位')
          if (rule === 'none' && compartment !== undefined) refuse('该操作不针对仓位')
        },
        { when: () => true },
      ),
    ),
  /** `approvalId` in place of a command: a second person has to agree first. */
  reply: one(z.object({ commandId: z.optional(z.string()), approvalId: z.optional(idOut) })),
  isWrite: true,
  done: '已发送',
})

export const RemoteActionRow = z.object({
  id: idOut,
  equipId: idOut,
  equipCode: z.string(),
  equipName: z.nullable(z.string()),
  operatorName: seededOut,
  action: z.enum(remoteActions),
  compartment: z.nullable(z.number()),
  /** The battery that the compartment had, as last reported when the action was asked for. */
  batteryCode: z.nullable(z.string()),
  reason: z.string(),
  state: z.enum(remoteActionStates),
  /** Why it failed or was refused or stopped. */
  note: z.nullable(saidOut),
  commandId: z.string(),
  createBy: z.string(),
  /** Where the call came from. */
  address: z.string(),
  /** Who agreed to it, where a second person had to. */
  approvedBy: z.nullable(z.string()),
  createTime: timeOut,
  /** When the device answered; null without an answer. */
  answerTime: z.nullable(timeOut),
  /** When the report was made that shows the result. */
  confirmTime: z.nullable(timeOut),
  changeTime: timeOut,
})
export type RemoteActionRow = z.output<typeof RemoteActionRow>

/** The record of one device (`id`), or of all devices in the caller's data scope; the newest first. */
export const listRemoteActions = endpoint({
  method: ['POST', 'GET'],
  path: '/equip/action/list',
  access: [
    'action:list',
    'equip:open',
    'equip:compartment',
    'equip:charging',
    'equip:restart',
    'equip:refresh',
  ],
  summary: '远程操作记录',
  bodyLimitBytes: listBodyBytes,
  input: z
    .object({
      ...paging,
      id: z.optional(id('设备')),
      code: z.optional(deviceCodes),
      actions: z.optional(list(actionIn, '操作', remoteActions.length)),
      states: z.optional(
        list(z.enum(remoteActionStates, { error: '状态无效' }), '状态', remoteActionStates.length),
      ),
      compartment: z.optional(integer('仓位', 1, 64)),
      /** Part of the user's login name. */
      createBy: z.optional(text('操作人', 64)),
      ...range,
      commandId: z.optional(
        z.string({ error: '命令编号应为文本' }).check(z.regex(/^[0-9a-f-]{36}$/, '命令编号无效')),
      ),
      ids: idsIn('远程操作'),
    })
    .check(rangeInOrder),
  reply: page(RemoteActionRow),
})

export const liveRemoteActions = liveRows('remoteAction', listRemoteActions)
