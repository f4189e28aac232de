// Makes a batch, from a form or to undo another one. In the caller's transaction.
import {
  type BatchDevices,
  formatDateTime,
  type ParameterBatchKind,
  type ParamSetRule,
  parameterName,
} from '@voltkeep/contract'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Trx } from '../../platform/database/database.ts'
import { recordOperation, shownDevices } from '../../platform/database/operation-log.ts'
import { type Consent, refuseGrown } from '../approvals/index.ts'
import { insertBatch, setTargetCount } from './batches.queries.ts'
import { wakeBatches } from './batches.queue.ts'
import { endOf } from './batches.rules.ts'
import { insertTargets, lockPlanning, type Plan, targets } from './targets/index.ts'

export interface BatchForm {
  name?: string | undefined
  remark?: string | undefined
  kind: ParameterBatchKind
  origin: { id: number; code: string } | null
  wanted: Record<string, string | null>
  devices: BatchDevices
  rule: ParamSetRule
  plan: Plan
  /** A second person has agreed. */
  consent: Consent | null
}

/** Writes a batch with its targets, due at once. Returns how many devices there are, and how many it sets. */
export async function makeBatch(trx: Trx, actor: Actor, form: BatchForm) {
  const { name = null, remark = null, kind, origin, wanted, devices, rule, plan, consent } = form
  const now = new Date()
  const endsAt = endOf(rule, now.getTime())
  await lockPlanning(trx)
  const { id, code } = await insertBatch(trx, formatDateTime(now).slice(0, 10).replaceAll('-', ''), {
    name,
    remark,
    kind,
    originId: origin?.id ?? null,
    wanted,
    devices,
    maxAttempts: rule.upgradeCount,
    intervalMinutes: rule.interval,
    endsAt,
    createdBy: actor.userId,
    createdByName: actor.loginName,
    approvedBy: consent?.agreedBy ?? null,
    organizationId: actor.organizationId,
  })
  const { total, waiting } = await insertTargets(trx, id, plan)
  if (consent) refuseGrown(consent, waiting)
  await setTargetCount(trx, id, total)
  await targets.wake(trx, 0)
  await wakeBatches(trx)
  await recordOperation(trx, actor, {
    target: targetOf(code),
    changes: {
      after: {
        ...(name !== null && { name }),
        ...(remark !== null && { remark }),
        ...Object.fromEntries(
          Object.entries(wanted).map(([parameter, value]) => [parameterName(parameter), value ?? '原值']),
        ),
        upgradeCount: rule.upgradeCount,
        interval: rule.interval,
        endTime: endsAt,
        // A restoration has the choice of the batch that it undoes, whose maker may have named devices beyond the actor.
        ...(origin ? { origin: origin.code } : { devices: shownDevices(devices) }),
        deviceCount: waiting,
        ...(consent && { agreedBy: consent.agreedBy.name }),
      },
    },
  })
  return { id, code, chosen: total, deviceCount: waiting }
}

/** A batch as the operation log names it. */
export const targetOf = (code: string) => `批量设置 ${code}`
