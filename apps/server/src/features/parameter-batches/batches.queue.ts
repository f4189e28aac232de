// Timed work on batches: silent devices, values that no notice told of, and the end.
import { describeStop, type ParameterBatchState } from '@voltkeep/contract'
import { type SqlBool, sql } from 'kysely'
import type pg from 'pg'
import { deviceWithinScope, everything, nothing } from '../../domain/access/data-scope.ts'
import { type Portion, together } from '../../domain/device-work/device-work.ts'
import { createOwnerQueue } from '../../domain/device-work/owners.ts'
import { isUnsent } from '../../domain/device-work/work.queries.ts'
import type { Trx } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { statementsOf } from '../../platform/database/statements.ts'
import { wake } from '../../platform/database/work/lease-queue.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import type { Commands } from '../../platform/devices/commands/commands.ts'
import { sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import type { Log } from '../../platform/process/log.ts'
import { beyondAsker, limitsOf, standingOf, standingOfAsker } from './batches.deciders.ts'
import {
  type LockedBatch,
  lockForWork,
  markChecked,
  writeBatch,
  writeContinued,
  writeStopNote,
  writeTrialEnd,
} from './batches.queries.ts'
import { batchAfter } from './batches.states.ts'
import {
  isHeld,
  isSilent,
  type MovingTarget,
  ofBatch,
  readMismatches,
  readTrialAlarms,
  readTrialFigures,
  reasons,
  targets,
} from './targets/index.ts'
import { autoTimeOf, decideTrial, isClean, type Trial } from './trial.rules.ts'

export const batchTable = 'parameter_batch'
/** How often a batch is checked thoroughly. */
const checkEveryMs = 30_000

export interface BatchWorkNeeds {
  pool: pg.Pool
  notices: Pick<Notices, 'subscribe'>
  log: Log
  commands: Pick<Commands, 'cancel'>
  tellBatches: (ids: readonly number[]) => void
  tellTargets: (ids: readonly string[]) => void
}

export const createBatchQueue = (needs: BatchWorkNeeds): Worker =>
  createOwnerQueue(needs, {
    table: batchTable,
    lock: lockForWork,
    async look(trx, batch) {
      const changed = await lookAt(trx, batch, needs.commands)
      return () => {
        needs.tellBatches([batch.id])
        needs.tellTargets(changed.map(({ id }) => id))
      }
    },
  })

/** Returns the targets that it changed. */
async function lookAt(
  trx: Trx,
  batch: LockedBatch,
  commands: Pick<Commands, 'cancel'>,
): Promise<MovingTarget[]> {
  const nowMs = sharedNowMs()
  const portions: Portion<MovingTarget>[] = []
  let { state, trial } = batch
  const isOnTrial = () => trial !== null && trial.continuedAt === null
  const isOver = batch.endsAt.getTime() <= nowMs
  const isCheckDue = !isOver && nowMs - batch.checkedAt.getTime() >= checkEveryMs
  if (isOver || isCheckDue) portions.push(await targets.verify(trx, ofBatch(batch.id), commands))
  if (isOver && isOnTrial()) {
    const held = await notContinued(trx, batch, commands)
    portions.push(held)
    if (held.rows.length > 0) state = batchAfter(state, 'stopRequested') ?? state
  }
  if (isOver && !together(portions).hasMore) portions.push(await endPortion(trx, batch.id, commands))
  if (isCheckDue) {
    portions.push(
      await targets.takeBack(trx, sql`${ofBatch(batch.id)} AND ${isSilent}`, commands, () => ({
        kind: 'unanswered',
        nowMs,
      })),
    )
    if (state === 'running' || state === 'paused') {
      const upheld = await uphold(trx, batch, commands)
      if (upheld) portions.push(...upheld)
      else state = 'stopping'
    }
  }
  if (!isOver && trial && isOnTrial() && state !== 'stopping') {
    const watched = await watchTrial(trx, { id: batch.id, state, trial }, nowMs)
    state = watched.state
    trial = watched.trial
  }
  if (state === 'running' && !isOver && trial && !isOnTrial()) portions.push(await release(trx, batch, nowMs))
  // A command that failed or was made while the batch was being stopped may have been missed by the stop.
  if (state === 'stopping') portions.push(await stopPortion(trx, batch.id, commands))
  const { rows, hasMore } = together(portions)
  if (isCheckDue && !hasMore) await markChecked(trx, batch.id)
  if (await targets.hasOpen(trx, ofBatch(batch.id))) {
    const dueAt = new Date(hasMore ? nowMs : nextLookMs(batch, state === 'paused' ? trial : null, nowMs))
    await writeBatch(trx, batch.id, { state, dueAt })
  } else {
    const final = batchAfter(state, 'completed')
    if (final !== null) await writeBatch(trx, batch.id, { state: final, dueAt: null })
  }
  return rows
}

/** The next check; before it the end, and the moment at which it has said that it would continue by itself. */
function nextLookMs({ endsAt }: LockedBatch, waiting: Trial | null, nowMs: number): number {
  const moments = [endsAt.getTime()]
  const autoMs = waiting && autoTimeOf(waiting)?.getTime()
  if (autoMs && autoMs > nowMs) moments.push(autoMs)
  return Math.min(nowMs + checkEveryMs, Math.max(nowMs + 1_000, Math.min(...moments)))
}

/** Nobody continued the batch before its end: the devices that are held get nothing. A portion. */
async function notContinued(
  trx: Trx,
  batch: LockedBatch,
  commands: Pick<Commands, 'cancel'>,
): Promise<Portion<MovingTarget>> {
  const reason = reasons.notContinuedInTime
  const ended = await targets.end(trx, heldOf(batch.id), commands, () => ({ kind: 'stopped', reason }))
  if (ended.rows.length === 0) return ended
  await writeStopNote(trx, batch.id, reason)
  await writeTrialEnd(trx, batch.id, batch.trial?.endedAt ?? batch.endsAt)
  return ended
}

/** Ends the trial, or continues the batch, where it is time. Returns how it stands then. */
async function watchTrial(
  trx: Trx,
  { id, state, trial }: { id: number; state: ParameterBatchState; trial: Trial },
  nowMs: number,
): Promise<{ state: ParameterBatchState; trial: Trial }> {
  const figures = await readTrialFigures(trx, id)
  const isTime = async () =>
    (autoTimeOf(trial)?.getTime() ?? Number.POSITIVE_INFINITY) <= nowMs &&
    isClean(trial, figures, (await readTrialAlarms(trx, everything, id)).alarmed)
  const event = decideTrial(state, figures) ?? (state === 'paused' && (await isTime()) ? 'continued' : null)
  const next = event && batchAfter(state, event)
  if (!next) return { state, trial }
  const now = new Date(nowMs)
  if (event === 'trialEnded') {
    await writeTrialEnd(trx, id, now)
    return { state: next, trial: { ...trial, endedAt: now } }
  }
  await writeContinued(trx, id, now, null)
  return { state: next, trial: { ...trial, continuedAt: now } }
}

/** Lets devices begin that were held during the trial: a portion. They are then decided by who continued the batch, too. */
function release(
  trx: Trx,
  { id, createdBy, continuedBy, continuedByName }: LockedBatch,
  nowMs: number,
): Promise<Portion<MovingTarget>> {
  const asker =
    continuedBy === null || continuedBy === createdBy
      ? null
      : { userId: continuedBy, name: continuedByName ?? '' }
  return targets.movePortion(trx, heldOf(id), () => ({ kind: 'released', nowMs }), {
    async prepare(rows) {
      for (const row of rows) {
        row.asker = asker
        row.deed = asker && 'continued'
      }
    },
  })
}

const heldOf = (batchId: number) => sql<SqlBool>`${ofBatch(batchId)} AND ${isHeld}`

/**
 * Takes back commands whose devices the batch's people or who asked for the attempt do not reach any more. Null where
 * the decision of the batch's people does not stand; the batch keeps why.
 */
async function uphold(
  trx: Trx,
  batch: LockedBatch,
  commands: Pick<Commands, 'cancel'>,
): Promise<Portion<MovingTarget>[] | null> {
  const { stopped } = await standingOf(trx, batch)
  if (stopped) {
    await writeStopNote(trx, batch.id, describeStop(stopped))
    return null
  }
  const unsent = sql<SqlBool>`${ofBatch(batch.id)} AND ${isUnsent}`
  const portions: Portion<MovingTarget>[] = []
  for (const { scope, beyond: reason } of await limitsOf(trx, batch)) {
    const beyond = sql<SqlBool>`${unsent} AND NOT ${deviceWithinScope(scope)}`
    portions.push(await targets.takeBack(trx, beyond, commands, () => ({ kind: 'stopped', reason })))
  }
  const askers = await targets.listUnsentAskers<Pick<MovingTarget, 'deed'>>(
    trx,
    ofBatch(batch.id),
    sql`, t.asked_deed AS deed`,
  )
  for (const { deed, ...asker } of askers) {
    const asked = { asker, deed, continuedBy: batch.continuedBy }
    const standing = await standingOfAsker(trx, asked)
    if (standing.scope === everything) continue
    const { stopped: gone } = standing
    const reason = gone ? describeStop(gone) : beyondAsker(asked)
    const beyond = sql<SqlBool>`${unsent} AND t.asked_by = ${asker.userId} AND t.asked_deed IS NOT DISTINCT FROM ${deed}
      AND NOT ${deviceWithinScope(standing.scope ?? nothing)}`
    portions.push(await targets.takeBack(trx, beyond, commands, () => ({ kind: 'unasked', reason })))
  }
  return portions
}

const endPortion = (trx: Trx, batchId: number, commands: Pick<Commands, 'cancel'>) =>
  targets.end<Map<string, string>>(
    trx,
    ofBatch(batchId),
    commands,
    ({ id, isUnderWay, wasSent }, mismatches) =>
      isUnderWay && !wasSent ? { kind: 'neverThere' } : { kind: 'ended', mismatch: mismatches?.get(id) },
    (ids) => readMismatches(trx, ids),
  )

/**
 * Takes back commands that no device has been handed. Targets without a command come first: a call that waits for their
 * locks then finds the commands that the work queue has made meanwhile. (A waiting target has no command under way, so
 * code that ends commands does not take these locks.)
 */
export async function stopPortion(
  trx: Trx,
  batchId: number,
  commands: Pick<Commands, 'cancel'>,
): Promise<Portion<MovingTarget>> {
  const waiting = sql<SqlBool>`${ofBatch(batchId)} AND t.state IN ('held', 'waiting')`
  const unsent = sql<SqlBool>`${ofBatch(batchId)} AND ${isUnsent}`
  return together([
    await targets.end(trx, waiting, commands, () => ({ kind: 'stopped' })),
    await targets.takeBack(trx, unsent, commands, () => ({ kind: 'stopped' })),
  ])
}

/** A batch is looked at at once. */
export async function wakeBatches(trx: Trx): Promise<void> {
  await statementsOf(trx).query(wake(batchTable, 0))
}
