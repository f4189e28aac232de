/**
 * Every change of single targets, by devices' answers and reports, by time or by users, goes through `move`, which
 * locks, asks the pure table, writes its result and logs it, in the caller's transaction.
 *
 * Locks are taken in one order: commands first, then targets by id. The handlers of results get their commands locked,
 * so code that ends commands does so before it locks a target.
 */
import type { RawBuilder, SqlBool } from 'kysely'
import type { Trx } from '../../platform/database/database.ts'
import { statementsOf } from '../../platform/database/statements.ts'
import { wake } from '../../platform/database/work/lease-queue.ts'
import type { Commands } from '../../platform/devices/commands/commands.ts'
import { type AttemptChange, insertAttempts, writeAttempts } from './attempts.queries.ts'
import {
  commandsUnderWay,
  listVerified,
  lockTargets,
  type MovingTarget,
  ofIds,
  writeTargets,
} from './targets.queries.ts'
import { attemptAfter, attemptReasonAfter, type TargetEvent, targetAfter } from './targets.states.ts'

export const targetTable = 'parameter_target'

/**
 * Applies to each target of the condition the event that `eventOf` names for it; null for none. Answers those that
 * changed, as they are. `order` makes the commands of those that are sent now, and answers their ids.
 */
export async function move(
  trx: Trx,
  condition: RawBuilder<SqlBool>,
  eventOf: (target: MovingTarget) => TargetEvent | null,
  order: (sent: readonly MovingTarget[]) => Promise<string[]> = async () => [],
): Promise<MovingTarget[]> {
  const changed: MovingTarget[] = []
  const sent: MovingTarget[] = []
  const attempts: AttemptChange[] = []
  for (const before of await lockTargets(trx, condition)) {
    const event = eventOf(before)
    if (!event) continue
    const after = targetAfter(before, event, before.rule)
    if (after === before) continue
    const target = { ...before, ...after }
    changed.push(target)
    if (target.state === 'sent') sent.push(target)
    else attempts.push(...attemptOf(before, event))
  }
  if (changed.length === 0) return []
  const commandIds = await order(sent)
  for (const [index, target] of sent.entries()) target.commandId = commandIds[index] ?? null
  await writeTargets(trx, changed)
  await insertAttempts(
    trx,
    sent.flatMap(({ batchId, id, commandId }) => (commandId ? [{ batchId, targetId: id, commandId }] : [])),
  )
  await writeAttempts(trx, attempts)
  await wakeFor(trx, changed)
  return changed
}

function attemptOf(before: MovingTarget, event: TargetEvent): AttemptChange[] {
  const result = attemptAfter(before, event)
  const { commandId } = before
  if (commandId === null || (result === null && event.kind !== 'claimed')) return []
  const isAnswered = event.kind === 'claimed' || event.kind === 'failed' || event.kind === 'refused'
  return [{ commandId, result, reason: attemptReasonAfter(before, event), isAnswered }]
}

/** Marks targets as succeeded whose devices report the values, and ends the commands that would bring them. */
export async function verify(
  trx: Trx,
  condition: RawBuilder<SqlBool>,
  commands: Pick<Commands, 'cancel'>,
): Promise<MovingTarget[]> {
  const ids = await listVerified(trx, condition)
  if (ids.length === 0) return []
  await commands.cancel(trx, await commandsUnderWay(trx, ofIds(ids)))
  return move(trx, ofIds(ids), () => ({ kind: 'verified' }))
}

async function wakeFor(trx: Trx, targets: readonly MovingTarget[]): Promise<void> {
  const firstMs = targets.reduce((first, { dueAtMs }) => Math.min(first, dueAtMs ?? Infinity), Infinity)
  if (firstMs !== Infinity) await wakeTargets(trx, firstMs - Date.now())
}

/** Makes targets due in so many ms. */
export async function wakeTargets(trx: Trx, inMs: number): Promise<void> {
  await statementsOf(trx).query(wake(targetTable, inMs))
}
