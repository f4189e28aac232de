/**
 * Changes of many targets of a task without an event of each: commands taken back, silent devices, versions that no
 * notice told of, the end.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Portion, together } from '../../../domain/device-work/device-work.ts'
import { isUnsent, wasHanded } from '../../../domain/device-work/work.queries.ts'
import type { Trx } from '../../../platform/database/database.ts'
import type { Commands } from '../../../platform/devices/commands/commands.ts'
import { sharedNowMs } from '../../../platform/process/clocks/shared-clock.ts'
import { isLimiting, type TaskLimits } from './bytes.queries.ts'
import { refreshTally } from './tally.queries.ts'
import { bytesBeyond, isAwaiting, ofTask } from './targets.queries.ts'
import { type MovingTarget, targets } from './targets.work.ts'

type Cancel = Pick<Commands, 'cancel'>

/** What is due of the targets of a task. */
export interface TargetSweep {
  taskId: number
  /** Commands that no device has been handed are taken back, a portion of them. */
  recalls: boolean
  /**
   * What happened without an event is looked for, a portion of each: versions whose notice was lost, and devices that
   * have a command since before that and do not answer, or have accepted it before that and say nothing more.
   */
  stalledSince: Date | null
  /** Commands that no device has been handed are taken back where somebody who decided does not reach it any more. */
  limits: TaskLimits | null
}

export interface TargetsSwept {
  targetIds: string[]
  /** Others are left for the next look. */
  hasMore: boolean
  /** The counts of the task's targets have changed. */
  isRecounted: boolean
}

/** Does what is due, and counts the targets again. */
export async function sweepTargets(
  trx: Trx,
  { taskId, recalls, stalledSince, limits }: TargetSweep,
  commands: Cancel,
): Promise<TargetsSwept> {
  const portions: Portion<MovingTarget>[] = []
  if (recalls) portions.push(await recallUnsent(trx, taskId, commands))
  if (stalledSince) {
    portions.push(await targets.verify(trx, ofTask(taskId), commands))
    portions.push(await giveUpSilent(trx, taskId, stalledSince, commands))
    portions.push(await giveUpIdle(trx, taskId, stalledSince))
  }
  const { rows, hasMore } = together(portions)
  const taken = limits ? await takeBackBeyond(trx, taskId, limits, commands) : []
  const isRecounted = await refreshTally(trx, taskId)
  return { targetIds: [...rows, ...taken].map(({ id }) => id), hasMore, isRecounted }
}

/** Takes back commands of a task that no device has been handed, a portion of them. */
export const recallUnsent = (trx: Trx, taskId: number, commands: Cancel): Promise<Portion<MovingTarget>> =>
  targets.takeBack(trx, both(ofTask(taskId), isUnsent), commands, () => ({ kind: 'recalled' }))

/** All of them, as none may be handed over any more. */
async function takeBackBeyond(
  trx: Trx,
  taskId: number,
  limits: TaskLimits,
  commands: Cancel,
): Promise<MovingTarget[]> {
  const taken: MovingTarget[] = []
  if (!isLimiting(limits)) return taken
  const beyond = bytesBeyond(limits)
  const condition = both(ofTask(taskId), isUnsent, sql<SqlBool>`${beyond} IS NOT NULL`)
  const eventOf = (note: string | null) => ({ kind: 'outOfReach', reason: note ?? '' }) as const
  for (;;) {
    const { rows, hasMore } = await targets.takeBack(trx, condition, commands, eventOf, beyond)
    taken.push(...rows)
    if (!hasMore) return taken
  }
}

function giveUpSilent(
  trx: Trx,
  taskId: number,
  since: Date,
  commands: Cancel,
): Promise<Portion<MovingTarget>> {
  const isSilent = both(ofTask(taskId), wasHanded, sql<SqlBool>`c.sent_at < ${since}`)
  const nowMs = sharedNowMs()
  return targets.takeBack(trx, isSilent, commands, () => ({ kind: 'unanswered', nowMs }))
}

/** Devices that have accepted their command, and of which nothing was heard since. */
function giveUpIdle(trx: Trx, taskId: number, since: Date): Promise<Portion<MovingTarget>> {
  const isIdle = both(
    ofTask(taskId),
    isAwaiting,
    // The index of states comes first: most have been sent since.
    sql<SqlBool>`t.changed_at < ${since} AND EXISTS (
      SELECT FROM device_command c WHERE c.id = t.command_id AND c.outcome = 'done' AND c.finished_at < ${since})`,
  )
  const nowMs = sharedNowMs()
  return targets.movePortion(trx, isIdle, () => ({ kind: 'due', nowMs }))
}

/** Ends open targets of a task that is over, a portion of them. */
export const endOpen = (
  trx: Trx,
  taskId: number,
  kind: 'cancelled' | 'ended',
  commands: Cancel,
): Promise<Portion<MovingTarget>> => targets.end(trx, ofTask(taskId), commands, () => ({ kind }))

const both = (...conditions: RawBuilder<SqlBool>[]) => sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`
