// Makes a batch, from a form or to undo another one. In the caller's transaction.
import {
  type BatchDevices,
  type BatchTrial,
  formatDateTime,
  type ParameterBatchKind,
  type ParamSetRule,
  parameterName,
} from '@voltkeep/contract'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuseInput } from '../../platform/calls/refusal.ts'
import type { Trx } from '../../platform/database/database.ts'
import { recordOperation, shownDevices } from '../../platform/database/operation-log.ts'
import { sharedNow } from '../../platform/process/clocks/shared-clock.ts'
import { type Consent, refuseGrown } from '../approvals/index.ts'
import { insertBatch, setTargetCount } from './batches.queries.ts'
import { wakeBatches } from './batches.queue.ts'
import { endOf } from './batches.rules.ts'
import {
  forgetTrial,
  insertTargets,
  listCodesNotOnTrial,
  lockPlanning,
  type Plan,
  targets,
} from './targets/index.ts'

export interface BatchForm {
  name?: string | undefined
  remark?: string | undefined
  kind: ParameterBatchKind
  origin: { id: number; code: string } | null
  wanted: Record<string, string | null>
  devices: BatchDevices
  rule: ParamSetRule
  plan: Plan
  trial: BatchTrial | null
  /** A second person has agreed. */
  consent: Consent | null
}

/** Writes a batch with its targets, due at once. Returns how many devices there are, and how many it sets. */
export async function makeBatch(trx: Trx, actor: Actor, form: BatchForm) {
  const { name = null, remark = null, kind, origin, wanted, devices, rule, plan, trial, consent } = form
  const now = sharedNow()
  const endsAt = endOf(rule, now.getTime(), trial !== null)
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
  const { total, waiting, trial: first } = await insertTargets(trx, id, plan, trial)
  if (consent) refuseGrown(consent, waiting)
  if (trial?.codes) await refuseForeign(trx, id, trial.codes)
  // Where all devices go first, nothing would wait for anybody.
  const isTrial = trial !== null && first < waiting
  if (trial && !isTrial) await forgetTrial(trx, id)
  await setTargetCount(
    trx,
    id,
    total,
    isTrial ? { devices: first, autoMinutes: trial.autoMinutes ?? null } : null,
  )
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
        ...(isTrial && { trial: first }),
        ...(isTrial && trial.autoMinutes !== undefined && { autoMinutes: trial.autoMinutes }),
        ...(consent && { agreedBy: consent.agreedBy.name }),
      },
    },
  })
  return { id, code, chosen: total, deviceCount: waiting }
}

/** The devices that are to go first are devices that the batch sets. A foreign code and an invented one are refused alike. */
async function refuseForeign(trx: Trx, id: number, codes: readonly string[]): Promise<void> {
  const foreign = await listCodesNotOnTrial(trx, id, codes)
  if (foreign.length > 0) {
    refuseInput({ field: 'trial.codes', message: `试行设备不在要设置的设备中：${foreign.join('、')}` })
  }
}

/** A batch as the operation log names it. */
export const targetOf = (code: string) => `批量设置 ${code}`
