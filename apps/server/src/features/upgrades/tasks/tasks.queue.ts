// Timed work on tasks: a look sweeps, reads, decides and writes, in the transaction that has the task locked.
import type pg from 'pg'
import { createOwnerQueue } from '../../../domain/device-work/owners.ts'
import type { Trx } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import type { Worker } from '../../../platform/database/work/worker.ts'
import type { Commands } from '../../../platform/devices/commands/commands.ts'
import { sharedNowMs } from '../../../platform/process/clocks/shared-clock.ts'
import type { Log } from '../../../platform/process/log.ts'
import { releasePortion } from '../stages/index.ts'
import { ofTask, sweepTargets, targets } from '../targets/index.ts'
import { apply } from './look-outcome.ts'
import { readLook } from './look-reading.ts'
import { decide, type Look, sweepOf } from './looks.rules.ts'
import type { StartConsent } from './start-consent.ts'
import { standingsOfRunning } from './task-plan.ts'
import { type LockedTask, lockForWork, markChecked } from './tasks.queries.ts'

export const taskTable = 'upgrade_task'

export interface TaskWorkNeeds {
  pool: pg.Pool
  notices: Pick<Notices, 'subscribe'>
  log: Log
  commands: Pick<Commands, 'cancel'>
  consent: StartConsent
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
      const nowMs = sharedNowMs()
      const { commands, consent } = needs
      const look = await readLook(trx, await sweep(trx, task, nowMs, commands), nowMs, consent)
      const changed = await apply(trx, look, decide(look, nowMs), commands, consent)
      return () => {
        if (changed.task) needs.tellTasks([task.id])
        needs.tellTargets(changed.targets)
        if (changed.approvalId) consent.told(changed.approvalId)
      }
    },
  })

/** Brings into the rows what the decision is to find in them. */
async function sweep(
  trx: Trx,
  task: LockedTask,
  nowMs: number,
  commands: Pick<Commands, 'cancel'>,
): Promise<Pick<Look, 'task' | 'swept' | 'stopped'>> {
  const due = sweepOf(task, nowMs)
  if (!due) return { task, swept: null, stopped: null }
  const releaseAt = due.releases && task.stage !== null ? await releasePortion(trx, task, task.stage) : null
  if (releaseAt !== null) {
    const swept = { ...due, targetIds: [], hasMore: true, isRecounted: false }
    return { task: { ...task, releaseAt }, swept, stopped: null }
  }
  const standings =
    due.checks && task.state === 'running'
      ? await standingsOfRunning(trx, [task], await targets.listUnsentAskers(trx, ofTask(task.id)))
      : null
  const stopped = standings?.stopped.get(task.id) ?? null
  const swept = await sweepTargets(
    trx,
    {
      taskId: task.id,
      recalls: due.recalls,
      stalledSince: due.checks ? new Date(nowMs - task.rule.stallMinutes * 60_000) : null,
      limits: stopped ? null : (standings?.limits ?? null),
    },
    commands,
  )
  // What a portion leaves is checked at the next look.
  if (due.checks && !swept.hasMore) await markChecked(trx, task.id)
  return { task: { ...task, releaseAt }, swept: { ...due, ...swept }, stopped }
}
