// Timed work on batches: silent devices, values that no notice told of, and the end.
import { describeStop } from '@voltkeep/contract'
import type pg from 'pg'
import { everything } from '../../domain/access/data-scope.ts'
import { nothing } from '../../domain/access/reaches.ts'
import type { Trx } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { kyselyOn, statementsOf } from '../../platform/database/statements.ts'
import { planFreely } from '../../platform/database/transaction.ts'
import { createLeaseQueue, wake } from '../../platform/database/work/lease-queue.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import type { Commands } from '../../platform/devices/commands/commands.ts'
import type { Log } from '../../platform/process/log.ts'
import { standingOf, standingOfAsker } from './batches.deciders.ts'
import { type LockedBatch, lockForWork, markChecked, writeBatch, writeStopNote } from './batches.queries.ts'
import { batchAfter } from './batches.states.ts'
import { move, verify } from './targets.moves.ts'
import {
  commandsUnderWay,
  endTargets,
  hasOpenTarget,
  listUnanswered,
  listUnsentAskers,
  lockUnsent,
  ofBatch,
  ofIds,
  readMismatches,
  type UnsentChoice,
} from './targets.queries.ts'
import { openTargetStates, reasons, type TargetEvent } from './targets.states.ts'

export const batchTable = 'parameter_batch'
const leaseMs = 60_000
/** How often a batch is checked thoroughly. */
const checkEveryMs = 30_000
const commandsAtOnce = 5_000

export interface BatchWorkNeeds {
  pool: pg.Pool
  notices: Pick<Notices, 'subscribe'>
  log: Log
  commands: Pick<Commands, 'cancel'>
  tellBatches: (ids: readonly number[]) => void
  /** Called after a check that may have changed any of its targets: null. */
  tellTargets: (ids: readonly string[] | null) => void
}

export function createBatchQueue(needs: BatchWorkNeeds): Worker {
  return createLeaseQueue<{ id: number }>(needs, {
    table: batchTable,
    key: ['id'],
    columns: 't.id',
    leaseMs,
    batchSize: 1,
    async handle(connection, due) {
      const trx = kyselyOn(connection)
      // A queue's statements look rows up by index; those about all targets of a batch are better planned freely.
      await connection.query(planFreely)
      const changed: (string[] | null)[] = []
      for (const { id } of due) {
        const batch = await lockForWork(trx, id)
        if (batch) changed.push(await lookAt(trx, batch, needs.commands))
      }
      return () => {
        needs.tellBatches(due.map(({ id }) => id))
        for (const ids of changed) if (ids === null || ids.length > 0) needs.tellTargets(ids)
      }
    },
  })
}

/** Answers the targets that it changed; null for any of them. */
async function lookAt(
  trx: Trx,
  batch: LockedBatch,
  commands: Pick<Commands, 'cancel'>,
): Promise<string[] | null> {
  const nowMs = Date.now()
  let changed: string[] | null = []
  let { state } = batch
  if (batch.endsAt.getTime() <= nowMs) {
    await verify(trx, ofBatch(batch.id), commands)
    await endAll(trx, batch.id, commands)
    changed = null
  } else if (nowMs - batch.checkedAt.getTime() >= checkEveryMs) {
    changed = await check(trx, batch, nowMs, commands)
    if (state === 'running') {
      const upheld = await uphold(trx, batch, commands)
      if (!upheld.stands) state = 'stopping'
      if (!upheld.stands || upheld.takenBack > 0) changed = null
    }
  }
  // A command that failed or was made while the batch was being stopped may have been missed by the stop.
  if (state === 'stopping' && (await takeBack(trx, batch.id, commands)) > 0) changed = null
  if (await hasOpenTarget(trx, batch.id)) {
    const dueAt = new Date(Math.min(nowMs + checkEveryMs, Math.max(nowMs + 1_000, batch.endsAt.getTime())))
    await writeBatch(trx, batch.id, { state, dueAt })
  } else {
    const final = batchAfter(state, 'completed')
    if (final !== null) await writeBatch(trx, batch.id, { state: final, dueAt: null })
  }
  return changed
}

/**
 * Whether the creator's decision stands; where it does not, the batch keeps why. Where it does, commands are taken back
 * whose devices the creator or who asked for the attempt does not reach any more; `takenBack` says how many.
 */
async function uphold(
  trx: Trx,
  batch: LockedBatch,
  commands: Pick<Commands, 'cancel'>,
): Promise<{ stands: boolean; takenBack: number }> {
  const { scope, stopped } = await standingOf(trx, batch)
  if (stopped) {
    await writeStopNote(trx, batch.id, describeStop(stopped))
    return { stands: false, takenBack: 0 }
  }
  let takenBack = 0
  if (scope !== everything) {
    const event = { kind: 'stopped', reason: reasons.beyondCreator } as const
    takenBack += await takeBackUnsent(trx, batch.id, commands, event, { beyond: scope })
  }
  for (const asker of await listUnsentAskers(trx, batch.id)) {
    const standing = await standingOfAsker(trx, asker)
    if (standing.scope === everything) continue
    const reason = standing.stopped ? describeStop(standing.stopped) : reasons.beyondAsker
    const choice = { askedBy: asker.userId, beyond: standing.scope ?? nothing }
    takenBack += await takeBackUnsent(trx, batch.id, commands, { kind: 'unasked', reason }, choice)
  }
  return { stands: true, takenBack }
}

async function endAll(trx: Trx, batchId: number, commands: Pick<Commands, 'cancel'>): Promise<void> {
  const underWay = await commandsUnderWay(trx, ofBatch(batchId))
  for (let start = 0; start < underWay.length; start += commandsAtOnce)
    await commands.cancel(trx, underWay.slice(start, start + commandsAtOnce))
  const mismatches = await readMismatches(trx, ofBatch(batchId))
  await endTargets(trx, { batchId, from: openTargetStates, to: 'expired', mismatches })
}

/** Finds changes without an event: values whose notice was lost, and devices that have a command and do not answer. */
async function check(
  trx: Trx,
  batch: LockedBatch,
  nowMs: number,
  commands: Pick<Commands, 'cancel'>,
): Promise<string[]> {
  await markChecked(trx, batch.id)
  const verified = await verify(trx, ofBatch(batch.id), commands)
  const unanswered = await listUnanswered(trx, batch.id, commandsAtOnce)
  const given = new Set(
    await commands.cancel(
      trx,
      unanswered.map(({ commandId }) => commandId),
    ),
  )
  const moved = await move(
    trx,
    ofIds(unanswered.filter(({ commandId }) => given.has(commandId)).map(({ id }) => id)),
    ({ commandId }) => (commandId !== null && given.has(commandId) ? { kind: 'unanswered', nowMs } : null),
  )
  return [...verified, ...moved].map(({ id }) => id)
}

/**
 * Takes back commands that no device has been handed. Answers how many devices that is. Targets without a command come
 * first: a call that waits for their locks then finds the commands that the work queue has made meanwhile. (A waiting
 * target has no command under way, so code that ends commands does not take these locks.)
 */
export async function takeBack(
  trx: Trx,
  batchId: number,
  commands: Pick<Commands, 'cancel'>,
): Promise<number> {
  const waiting = await endTargets(trx, { batchId, from: ['waiting'], to: 'stopped' })
  return waiting + (await takeBackUnsent(trx, batchId, commands, { kind: 'stopped' }))
}

/** The same of targets with a command, which `event` then ends; of those chosen. */
async function takeBackUnsent(
  trx: Trx,
  batchId: number,
  commands: Pick<Commands, 'cancel'>,
  event: Extract<TargetEvent, { kind: 'stopped' | 'unasked' }>,
  choice: UnsentChoice = {},
): Promise<number> {
  let count = 0
  for (;;) {
    const unsent = await lockUnsent(trx, batchId, { limit: commandsAtOnce, ...choice })
    if (unsent.length === 0) return count
    await commands.cancel(
      trx,
      unsent.map(({ commandId }) => commandId),
    )
    const ended = await move(trx, ofIds(unsent.map(({ id }) => id)), () => event)
    count += ended.length
  }
}

/** A batch is looked at at once. */
export async function wakeBatches(trx: Trx): Promise<void> {
  await statementsOf(trx).query(wake(batchTable, 0))
}
