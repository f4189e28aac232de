/** User actions on batches that have begun: try again, continue after the trial, stop, restore the former values. */
import {
  describeStop,
  type FileReply,
  type ParsedInputFor,
  type restoreParameterBatch,
  type retryParameterBatch,
} from '@voltkeep/contract'
import { intersectScopes, scopeOf } from '../../domain/access/data-scope.ts'
import { firstId, inPortions } from '../../domain/device-work/device-work.ts'
import { leftOutFile } from '../../domain/device-work/left-out.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse } from '../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import type { Commands } from '../../platform/devices/commands/commands.ts'
import { sharedNow, sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import type { BatchDeeds } from './batch-deeds.ts'
import { isBeyondControl, standingOf } from './batches.deciders.ts'
import {
  findBatch,
  type LockedBatch,
  lockBatch,
  reachesBeyond,
  writeBatch,
  writeContinued,
  writeStopNote,
  writeTrialEnd,
} from './batches.queries.ts'
import { stopPortion, wakeBatches } from './batches.queue.ts'
import { previewOf, usualSpanMs } from './batches.rules.ts'
import { batchAfter } from './batches.states.ts'
import { targetOf } from './create-batch.ts'
import {
  countHeld,
  countUnsent,
  leftOutBy,
  lockPlanning,
  planOfRestoration,
  retryableWithin,
  skipTexts,
  summarize,
  targets,
} from './targets/index.ts'

export type BatchControl = ReturnType<typeof createBatchControl>

export interface ControlNeeds {
  db: Db
  commands: Pick<Commands, 'cancel'>
  deeds: BatchDeeds
  /** Called after the commit. */
  tellBatches: (ids: readonly number[]) => void
  tellTargets: (ids: readonly string[] | null) => void
}

export function createBatchControl({ db, commands, deeds, tellBatches, tellTargets }: ControlNeeds) {
  return {
    /**
     * Tries again the targets that did not succeed, as far as the caller and the batch's people reach them. A batch that
     * was over runs again, and for another three days at least; one that runs, where the caller sees all its open devices. As
     * long as devices are held by its trial, by who sees all that it reaches: another attempt has them wait longer. Throws
     * `parameterBatchStopping`, `parameterBatchReachesBeyond`, `parameterBatchWithoutCreator` where their decision does not stand, and `parameterBatchNothingToRetry`.
     */
    async retryBatch(actor: Actor, { id, targetIds }: ParsedInputFor<typeof retryParameterBatch>) {
      const count = await inPortions(db, async (trx, afterId) => {
        await lockPlanning(trx)
        const batch = await lock(trx, actor, id)
        const state = batchAfter(batch.state, 'retried')
        if (state === null) refuse('parameterBatchStopping')
        const { scope, stopped } = await standingOf(trx, batch)
        if (stopped)
          throw new Refusal('parameterBatchWithoutCreator', null, `${describeStop(stopped)}，不能重试`)
        const nowMs = sharedNowMs()
        const own = await scopeOf(trx, actor)
        if (
          isOnTrial(batch) &&
          (await countHeld(trx, batch.id)) > 0 &&
          (await isBeyondControl(trx, own, batch))
        )
          throw new Refusal('parameterBatchReachesBeyond', null, '批次包含无权查看的设备，试行结束前不能重试')
        // The end is that of all devices that are open: who does not see them does not put it off.
        const isOthers = await reachesBeyond(trx, own, batch.id, { own: scope, isOpen: true })
        const endsAt = isOthers
          ? batch.endsAt
          : new Date(Math.max(batch.endsAt.getTime(), nowMs + usualSpanMs))
        await writeBatch(trx, batch.id, { state, dueAt: new Date(nowMs), endsAt })
        if (batch.state === 'paused') await writeTrialEnd(trx, batch.id, null)
        const asker =
          actor.userId === batch.createdBy ? null : { userId: actor.userId, name: actor.loginName }
        const retried = await targets.movePortion(
          trx,
          retryableWithin(intersectScopes([scope, own]), batch.id, targetIds ?? null),
          () => ({ kind: 'retried', nowMs }),
          {
            afterId,
            async prepare(rows) {
              for (const row of rows) {
                row.asker = asker
                row.deed = asker && 'retried'
              }
            },
          },
        )
        if (retried.rows.length === 0 && afterId === firstId) refuse('parameterBatchNothingToRetry')
        await writeStopNote(trx, batch.id, null)
        await wakeBatches(trx)
        await recordOperation(trx, actor, {
          target: targetOf(batch.code),
          changes: { after: { retried: retried.rows.length } },
        })
        return {
          ...retried,
          tell() {
            tellBatches([batch.id])
            tellTargets(retried.rows.map((target) => target.id))
          },
        }
      })
      return { count }
    },

    /**
     * Lets the devices begin that are held since the trial; returns how many there are. Whoever continues a batch sees
     * all devices that it reaches, and decides about these from then on, beside the creator. Throws
     * `parameterBatchNotPaused`, `parameterBatchReachesBeyond`, and `parameterBatchWithoutCreator` where the creator's
     * decision does not stand.
     */
    async continueBatch(actor: Actor, id: string) {
      const { batchId, count } = await db.transaction().execute(async (trx) => {
        const batch = await lock(trx, actor, id)
        if (await isBeyondControl(trx, await scopeOf(trx, actor), batch))
          throw new Refusal('parameterBatchReachesBeyond', null, '批次包含无权查看的设备，不能继续')
        const state = batchAfter(batch.state, 'continued')
        if (state === null) refuse('parameterBatchNotPaused')
        const { stopped } = await standingOf(trx, batch)
        if (stopped)
          throw new Refusal('parameterBatchWithoutCreator', null, `${describeStop(stopped)}，不能继续`)
        const now = sharedNow()
        const held = await countHeld(trx, batch.id)
        await writeBatch(trx, batch.id, { state, dueAt: now })
        await writeContinued(trx, batch.id, now, { userId: actor.userId, name: actor.loginName })
        await wakeBatches(trx)
        await recordOperation(trx, actor, {
          target: targetOf(batch.code),
          changes: { after: { continued: held } },
        })
        return { batchId: batch.id, count: held }
      })
      tellBatches([batchId])
      return { count }
    },

    /**
     * Takes back commands that no device has been handed: a portion at once, the rest soon after. Returns how many
     * there were. Whoever stops a batch sees all devices that it still reaches. Throws `parameterBatchOver` and
     * `parameterBatchReachesBeyond`.
     */
    async stopBatch(actor: Actor, id: string) {
      const { batchId, count } = await db.transaction().execute(async (trx) => {
        const batch = await lock(trx, actor, id)
        if (await isBeyondControl(trx, await scopeOf(trx, actor), batch))
          refuse('parameterBatchReachesBeyond')
        const state = batchAfter(batch.state, 'stopRequested')
        if (state === null) refuse('parameterBatchOver')
        await writeBatch(trx, batch.id, { state, dueAt: sharedNow() })
        await writeTrialEnd(trx, batch.id, batch.trial?.endedAt ?? sharedNow())
        const { rows, hasMore } = await stopPortion(trx, batch.id, commands)
        const stopped = rows.length + (hasMore ? await countUnsent(trx, batch.id) : 0)
        await wakeBatches(trx)
        await recordOperation(trx, actor, {
          target: targetOf(batch.code),
          changes: { after: { stopped } },
        })
        return { batchId: batch.id, count: stopped }
      })
      tellBatches([batchId])
      tellTargets(null)
      return { count }
    },

    async previewRestoration(actor: Actor, id: string) {
      const batch = (await findBatch(db, actor, idNumber(id))) ?? refuse('parameterBatchNotFound')
      const plan = planOfRestoration(batch.id, await scopeOf(db, actor))
      return previewOf(await summarize(db, plan, {}), null, [])
    },

    async exportLeftOutOfRestoration(actor: Actor, id: string): Promise<FileReply> {
      const batch = (await findBatch(db, actor, idNumber(id))) ?? refuse('parameterBatchNotFound')
      const plan = planOfRestoration(batch.id, await scopeOf(db, actor))
      return leftOutFile(db, '不恢复的设备', leftOutBy(plan), skipTexts)
    },

    /**
     * A batch that restores the values that the devices had before that one; it may wait for a second person. Throws
     * `parameterBatchNothingToRestore`.
     */
    async restoreBatch(actor: Actor, form: ParsedInputFor<typeof restoreParameterBatch>) {
      const { answer, afterCommit } = await db
        .transaction()
        .execute((trx) => deeds.carryOut(trx, actor, { call: 'restore', form }, null))
      afterCommit()
      return answer
    },
  }
}

const isOnTrial = ({ trial }: LockedBatch) => trial !== null && trial.continuedAt === null

async function lock(trx: Trx, actor: Actor, id: string) {
  return (await lockBatch(trx, actor, idNumber(id))) ?? refuse('parameterBatchNotFound')
}
