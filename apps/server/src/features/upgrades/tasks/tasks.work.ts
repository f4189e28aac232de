// Timed work on tasks: a look sweeps, reads, decides and writes, in the transaction that has the task locked.
import type pg from 'pg'
import { createOwnerQueue } from '../../../domain/device-work/owners.ts'
import type { Trx } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import type { Worker } from '../../../platform/database/work/worker.ts'
import type { Commands } from '../../../platform/devices/commands/commands.ts'
import type { Log } from '../../../platform/process/log.ts'
import { releasePortion } from '../stages/index.ts'
import { checkTargets, recallUnsent, refreshTally, takeBackBeyond } from '../targets/index.ts'
import { apply } from './looks.apply.ts'
import { decide, type Look, sweepOf } from './looks.decide.ts'
import { readLook } from './looks.read.ts'
import { standingsOfRunning } from './tasks.plan.ts'
import { type LockedTask, lockForWork, markChecked } from './tasks.queries.ts'

export const taskTable = 'upgrade_task'

export interface TaskWorkNeeds {
  pool: pg.Pool
  notices: Pick<Notices, 'subscribe'>
  log: Log
  commands: Pick<Commands, 'cancel'>
  tellTasks: (ids: readonly number[]) => void
  /** Called after a look that may have changed any of its targets. */
  tellTargets: (ids: readonly string[] | null) => void
}

/** Tasks one by one: planning one may take seconds. */
export const createTaskQueue = (needs: TaskWorkNeeds): Worker =>
  createOwnerQueue(needs, {
    table: taskTable,
    lock: lockForWork,
    async look(trx, task) {
      const nowMs = Date.now()
      const look = await readLook(trx, await sweep(trx, task, nowMs, needs.commands), nowMs)
      const changed = await apply(trx, look, decide(look, nowMs), needs.commands)
      return () => {
        if (changed.task) needs.tellTasks([task.id])
        needs.tellTargets(changed.targets)
      }
    },
  })

const none = { targetIds: [], hasMore: false }

/** Brings into the rows what the decision is to find in them. */
async function sweep(
  trx: Trx,
  task: LockedTask,
  nowMs: number,
  commands: Pick<Commands, 'cancel'>,
): Promise<Pick<Look, 'task' | 'swept' | 'stopped'>> {
  const due = sweepOf(task, nowMs)
  if (!due) return { task, swept: null, stopped: null }
  const targetIds: string[] = []
  let stopped: Look['stopped'] = null
  const releaseAt = due.releases && task.stage !== null ? await releasePortion(trx, task, task.stage) : null
  const left = { ...task, releaseAt }
  if (releaseAt !== null)
    return { task: left, swept: { ...due, targetIds, hasMore: true, isRecounted: false }, stopped }
  const recalled = due.recalls ? await recallUnsent(trx, task.id, commands) : none
  targetIds.push(...recalled.targetIds)
  if (due.checks) {
    await markChecked(trx, task.id)
    const stalledSince = new Date(nowMs - task.rule.stallMinutes * 60_000)
    targetIds.push(...(await checkTargets(trx, task.id, stalledSince, commands)))
    if (task.state === 'running') {
      const standings = await standingsOfRunning(trx, [task])
      stopped = standings.stopped.get(task.id) ?? null
      if (!stopped) targetIds.push(...(await takeBackBeyond(trx, task.id, standings.limits, commands)))
    }
  }
  const isRecounted = await refreshTally(trx, task.id)
  return { task: left, swept: { ...due, targetIds, hasMore: recalled.hasMore, isRecounted }, stopped }
}
