/**
 * Batches that may need a second person: what is asked of them, and how they are made once somebody has agreed. A batch
 * that waits does not exist yet; what is kept is the form.
 */
import {
  type BatchTrial,
  describeParameterValue,
  type insertParameterBatch,
  type ParsedInputFor,
  parameterName,
  type restoreParameterBatch,
} from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, scopeOf } from '../../domain/access/data-scope.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { type Approvals, asWaiting, type Consent } from '../approvals/index.ts'
import { devicesChosen, isSeenWhole } from '../devices/index.ts'
import { lockBatch } from './batches.queries.ts'
import { wantedOf } from './batches.rules.ts'
import { makeBatch } from './create-batch.ts'
import { type Plan, planOfRestoration, planOfValues, summarize, type Wanted } from './targets/index.ts'

export type BatchDeed =
  | { call: 'insert'; form: ParsedInputFor<typeof insertParameterBatch> }
  | { call: 'restore'; form: ParsedInputFor<typeof restoreParameterBatch> }

/** What was made, or what waits. */
export interface BatchAnswer {
  id: number | string
  approvalId?: string
  code: string
  deviceCount: number
}

type UsedApprovals = Pick<Approvals, 'ask' | 'causesOf' | 'define' | 'told'>

export type BatchDeeds = ReturnType<typeof createBatchDeeds>

export function createBatchDeeds({
  approvals,
  tellBatches,
}: {
  approvals: UsedApprovals
  /** Called after the commit. */
  tellBatches: (ids: readonly number[]) => void
}) {
  approvals.define('parameterBatch', {
    async isWithin(db, scope, payload, own) {
      return isSeenWhole(db, scope, await devicesOf(db, own, payload as BatchDeed))
    },
    async carryOut(trx, actor, payload, consent) {
      const { answer, afterCommit } = await carryOut(trx, actor, payload as BatchDeed, consent)
      return { resultId: String(answer.id), afterCommit }
    },
  })

  /** Makes a batch, or asks for a second person where it needs one and there is none. */
  async function carryOut(
    trx: Trx,
    actor: Actor,
    deed: BatchDeed,
    consent: Consent | null,
  ): Promise<{ answer: BatchAnswer; afterCommit: () => void }> {
    return deed.call === 'insert' ? insert(trx, actor, deed, consent) : restore(trx, actor, deed, consent)
  }

  async function insert(
    trx: Trx,
    actor: Actor,
    deed: BatchDeed & { call: 'insert' },
    consent: Consent | null,
  ) {
    const { name, remark, paramSetRule, entitys, queryParam, trial = null } = deed.form
    const wanted = wantedOf(entitys)
    const plan = planOfValues(await devicesChosen(trx, await scopeOf(trx, actor), queryParam), wanted)
    const waiting = consent ? null : await askFor(trx, actor, deed, { plan, wanted, subject: '批量设置' })
    if (waiting) return waiting
    const batch = await makeBatch(trx, actor, {
      name,
      remark,
      kind: 'set',
      origin: null,
      wanted,
      devices: queryParam,
      rule: paramSetRule,
      plan,
      trial,
      consent,
    })
    if (batch.chosen === 0) refuseInput({ field: 'queryParam', message: '没有符合条件的设备' })
    if (!consent) await refuseUnasked(wanted, batch.deviceCount)
    return made(batch)
  }

  async function restore(
    trx: Trx,
    actor: Actor,
    deed: BatchDeed & { call: 'restore' },
    consent: Consent | null,
  ) {
    const { id, paramSetRule } = deed.form
    const origin = (await lockBatch(trx, actor, idNumber(id))) ?? refuse('parameterBatchNotFound')
    const plan = planOfRestoration(origin.id, await scopeOf(trx, actor))
    const wanted = Object.fromEntries(Object.keys(origin.wanted).map((parameter) => [parameter, null]))
    const subject = `恢复批量设置 ${origin.code} 的原值`
    const waiting = consent ? null : await askFor(trx, actor, deed, { plan, wanted, subject })
    if (waiting) return waiting
    const batch = await makeBatch(trx, actor, {
      kind: 'restore',
      origin,
      wanted,
      devices: origin.devices,
      rule: paramSetRule ?? { upgradeCount: origin.maxAttempts, interval: origin.intervalMinutes },
      plan,
      // It brings what the devices had, and is wanted at once.
      trial: null,
      consent,
    })
    if (batch.deviceCount === 0) refuse('parameterBatchNothingToRestore')
    if (!consent) await refuseUnasked(wanted, batch.deviceCount)
    return made(batch)
  }

  /**
   * Devices are counted before the batch waits for its turn to be planned. Where other batches have let go of so many of
   * them meanwhile that somebody has to agree, it is not made.
   */
  async function refuseUnasked(wanted: Record<string, string | null>, deviceCount: number): Promise<void> {
    if (deviceCount === 0) return
    const causes = await approvals.causesOf({
      parameterIds: Object.keys(wanted),
      countDevices: async () => deviceCount,
    })
    if (causes.length > 0) throw new Refusal('conflict', null, '设备状态已有变化，请重新提交')
  }

  const made = (batch: Awaited<ReturnType<typeof makeBatch>>) => ({
    answer: { id: batch.id, code: batch.code, deviceCount: batch.deviceCount },
    afterCommit: () => tellBatches([batch.id]),
  })

  /** Null where nobody has to agree, or where the batch would reach nothing, which it says itself. */
  async function askFor(
    trx: Trx,
    actor: Actor,
    deed: BatchDeed,
    { plan, wanted, subject }: { plan: Plan; wanted: Record<string, string | null>; subject: string },
  ) {
    let counted: number | undefined
    const countDevices = async () => {
      counted ??= (await summarize(trx, plan, definite(wanted))).devices
      return counted
    }
    const causes = await approvals.causesOf({ parameterIds: Object.keys(wanted), countDevices })
    const deviceCount = causes.length > 0 ? await countDevices() : 0
    if (deviceCount === 0) return null
    const approvalId = await approvals.ask(trx, actor, {
      kind: 'parameterBatch',
      functionCode: deed.call === 'insert' ? 'batchSet:insert' : 'batchSet:restore',
      payload: deed,
      subject: `${subject}（${deviceCount} 台）`,
      details: [
        ...(deed.call === 'insert' && deed.form.name ? [{ name: '名称', value: deed.form.name }] : []),
        ...Object.entries(wanted).map(([id, value]) => ({
          name: parameterName(id),
          value: value === null ? '原值' : describeParameterValue(id, value),
          isSaid: true as const,
        })),
        ...(deed.call === 'insert' && deed.form.trial
          ? [{ name: '试行', value: `先对 ${trialSize(deed.form.trial)} 台试行`, isSaid: true as const }]
          : []),
      ],
      causes,
      deviceCount,
    })
    return {
      answer: { ...asWaiting(approvalId), code: '', deviceCount },
      afterCommit: () => approvals.told(approvalId),
    }
  }

  return { carryOut }
}

const trialSize = ({ count, codes }: BatchTrial) => codes?.length ?? count ?? 0

const definite = (wanted: Record<string, string | null>): Wanted =>
  Object.fromEntries(Object.entries(wanted).flatMap(([id, value]) => (value === null ? [] : [[id, value]])))

/** The devices `d` that the deed is about, of those that who asked for it sees. */
async function devicesOf(db: Db, own: DataScope, deed: BatchDeed): Promise<RawBuilder<SqlBool>> {
  if (deed.call === 'insert') return devicesChosen(db, own, deed.form.queryParam)
  return sql<SqlBool>`d.id IN (SELECT p.device_id FROM (${planOfRestoration(idNumber(deed.form.id), own)}) p)`
}
