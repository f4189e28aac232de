/**
 * Remote actions as users ask for them and see them. Whoever asks holds the function of the action and sees the device.
 * Nothing waits for a device that is offline, and two who ask for the same within its deadline have asked once.
 */
import {
  type actOnDevice,
  type listRemoteActions,
  type ParsedInputFor,
  remoteActionCodes,
  remoteActionNames,
  remoteActionSeconds,
} from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import { type Actor, mayCall } from '../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import type { Commands } from '../../platform/devices/commands/commands.ts'
import { rangeEdges } from '../../platform/process/clock.ts'
import { sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import type { Approvals, Consent } from '../approvals/index.ts'
import type { SpokenProtocols } from '../mappings/index.ts'
import * as queries from './actions.queries.ts'
import { concerns, problemOf } from './actions.rules.ts'

export type RemoteActions = ReturnType<typeof createRemoteActions>

export interface ActionNeeds {
  db: Db
  commands: Pick<Commands, 'send'>
  approvals: Pick<Approvals, 'ask' | 'told' | 'define'>
  requireAbility: SpokenProtocols['requireAbility']
  /** Called after the commit. */
  tellAdded: (id: string) => void
}

type Form = ParsedInputFor<typeof actOnDevice>

/** A device that is there answers at once: what is lost is sent again soon. */
const rule = { maxAttempts: 4, intervalMs: 15_000 }

export function createRemoteActions({ db, commands, approvals, requireAbility, tellAdded }: ActionNeeds) {
  approvals.define('action', {
    async isWithin(reader, scope, payload) {
      const { id, compartment } = payload as Form
      return (await queries.findDevice(reader, scope, idNumber(id), compartment ?? null)) !== undefined
    },
    async carryOut(trx, actor, payload, consent) {
      const done = await act(trx, actor, payload as Form, consent)
      if (!done.commandId) throw new Error('an action that was agreed to is sent')
      return { resultId: done.commandId, afterCommit: done.afterCommit }
    },
  })

  /**
   * Writes the action and its command, or asks for a second person. `consent`: there is one. Throws `notPermitted`,
   * `deviceNotFound`, 400 for a compartment that cannot be, `protocolLacks`, `deviceOffline`, `remoteActionUnderWay` and
   * `approvalWaiting`.
   */
  async function act(trx: Trx, actor: Actor, form: Form, consent: Consent | null) {
    const { action, reason } = form
    if (!mayCall(actor, remoteActionCodes[action])) refuse('notPermitted')
    const subject = { action, compartment: form.compartment ?? null }
    const { compartment } = subject
    const device =
      (await queries.findDevice(trx, await scopeOf(trx, actor), idNumber(form.id), compartment)) ??
      refuse('deviceNotFound')
    const problem = problemOf(subject, device)
    if (problem) refuseInput(problem)
    await requireAbility(trx, device.id, action)
    if (!device.isOnline) refuse('deviceOffline')
    await queries.lockActionsOf(trx, device.id)
    const same = await queries.findSame(trx, device.id, subject, remoteActionSeconds)
    if (same && same.createdBy !== actor.userId)
      throw new Refusal('remoteActionUnderWay', null, `${same.createBy} 刚刚已发送同一操作，请稍后再试`)
    if (same) return { commandId: same.commandId, afterCommit: () => undefined }
    const alarms =
      action === 'openDoor' && compartment !== null && !consent
        ? (await queries.listFireAlarms(trx, device.id, actor.makerId ?? actor.userId)).filter((alarm) =>
            concerns(compartment, alarm),
          )
        : []
    if (alarms.length > 0) {
      const approvalId = await approvals.ask(trx, actor, {
        kind: 'action',
        functionCode: remoteActionCodes[action],
        payload: form,
        sameAs: `${action} ${device.id} ${compartment}`,
        subject: describe(subject, device.code),
        details: [
          { name: '告警', value: alarms.map(describeAlarm).join('；'), isSaid: true },
          device.batteryCode === null
            ? { name: '电池', value: '未上报', isSaid: true }
            : { name: '电池', value: device.batteryCode },
          { name: '设备', value: device.name ?? device.code },
          ...(device.address === null ? [] : [{ name: '地址', value: device.address }]),
          { name: '原因', value: reason },
        ],
        causes: ['fire'],
        deviceId: device.id,
        deviceCount: 1,
      })
      return { approvalId, afterCommit: () => approvals.told(approvalId) }
    }
    const [commandId = ''] = await commands.send(trx, [
      {
        deviceId: device.id,
        deviceCode: device.code,
        topic: 'action',
        deadline: new Date(sharedNowMs() + remoteActionSeconds * 1_000),
        rule,
        body: { action, ...(compartment !== null && { compartment }), reason },
      },
    ])
    const id = await queries.insertAction(trx, {
      deviceId: device.id,
      ...subject,
      batteryCode: device.batteryCode,
      purpose: reason,
      createdBy: actor.userId,
      createdByName: actor.loginName,
      address: actor.client.address,
      approvalId: consent?.approvalId ?? null,
      approvedBy: consent?.agreedBy ?? null,
      commandId,
    })
    await recordOperation(trx, actor, {
      target: `设备 ${device.code}`,
      changes: {
        after: {
          action: remoteActionNames[action],
          ...(compartment !== null && { compartment: `${compartment}号仓` }),
          ...(device.batteryCode !== null && { batteryCode: device.batteryCode }),
          reason,
          ...(consent && { agreedBy: consent.agreedBy.name }),
        },
      },
    })
    return { commandId, afterCommit: () => tellAdded(id) }
  }

  return {
    async actOnDevice(actor: Actor, form: Form) {
      const { afterCommit, ...answer } = await db.transaction().execute((trx) => act(trx, actor, form, null))
      afterCommit()
      return answer
    },

    async listRemoteActions(actor: Actor, { id, ...input }: ParsedInputFor<typeof listRemoteActions>) {
      const scope = await scopeOf(db, actor)
      const filter = { ...input, ...rangeEdges(input), deviceId: id === undefined ? undefined : idNumber(id) }
      const [rows, total] = await Promise.all([
        queries.listActions(db, scope, filter, pageOf(input)),
        queries.countActions(db, scope, filter),
      ])
      return { rows, total }
    },
  }
}

/** 打开仓门 EC001 3号仓 */
const describe = (
  { action, compartment }: { action: Form['action']; compartment: number | null },
  code: string,
) => [remoteActionNames[action], code, ...(compartment === null ? [] : [`${compartment}号仓`])].join(' ')

/** 仓位过温（3号仓位过温） */
function describeAlarm({ name, meanings, why }: queries.FireAlarm): string {
  const alarm = meanings.length === 0 ? name : `${name}（${meanings.join('、')}）`
  return why === 'active' ? alarm : reasonsToCount[why](alarm)
}

const reasonsToCount: Record<Exclude<queries.FireAlarm['why'], 'active'>, (alarm: string) => string> = {
  declaredOver: (alarm) => `${alarm}，申请人（或其另一账号）已手动恢复，设备尚未上报`,
  kept: (alarm) => `${alarm}，设备的登记、密钥或报文映射随后有变更，24 小时内仍按未恢复处理`,
  secretHeld: (alarm) => `${alarm}，申请人（或其另一账号）持有设备密钥，24 小时内仍按未恢复处理`,
}
