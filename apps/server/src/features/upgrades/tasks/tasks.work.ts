// Timed work on tasks: their start, the way from stage to stage, and their end.
import { describeStop, formatDateTime, type StoppedDecider } from '@voltkeep/contract'
import type pg from 'pg'
import { type DataScope, everything } from '../../../domain/access/data-scope.ts'
import { createOwnerQueue } from '../../../domain/device-work/owners.ts'
import type { Trx } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import type { Worker } from '../../../platform/database/work/worker.ts'
import type { Commands } from '../../../platform/devices/commands/commands.ts'
import type { Log } from '../../../platform/process/log.ts'
import {
  advanceStages,
  beginStage,
  firstRanks,
  insertStages,
  listStages,
  type Pause,
  planStages,
  releasePortion,
  type Stage,
} from '../stages/index.ts'
import {
  countBeyond,
  hasOpenTarget,
  insertTally,
  insertTargets,
  listAskers,
  listUnanswered,
  mayBeUnsent,
  move,
  ofIds,
  ofTask,
  readCounts,
  readUnderWay,
  refreshTally,
  resolvePlan,
  sumOf,
  verify,
} from '../targets/index.ts'
import { closeTask, endPortion, moveTask, pauseTask, recallUnsent, takeBackBeyond } from './tasks.moves.ts'
import { planWithin, standingOfTask, standingsOfRunning } from './tasks.plan.ts'
import {
  keepPlannedBytes,
  type LockedTask,
  lockForWork,
  markChecked,
  setDue,
  writeTask,
} from './tasks.queries.ts'

export const taskTable = 'upgrade_task'
/** How often a task is checked thoroughly: the gate, silent devices, versions that no notice told of. */
const checkEveryMs = 60_000
/** The clocks of this process and of the database may differ by less. */
const earlyMs = 60_000

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
      const changed = await lookAt(trx, task, needs)
      return () => {
        if (changed.task) needs.tellTasks([task.id])
        needs.tellTargets(changed.targets)
      }
    },
  })

interface Changed {
  task: boolean
  /** Null for any of them. */
  targets: readonly string[] | null
}

async function lookAt(trx: Trx, task: LockedTask, needs: TaskWorkNeeds): Promise<Changed> {
  switch (task.state) {
    case 'planned':
      // Rows are looked at early after a clock was set back.
      if (task.upgradeAt.getTime() - Date.now() > earlyMs) {
        await setDue(trx, task.id, task.upgradeAt)
        return { task: false, targets: [] }
      }
      await start(trx, task, needs)
      return { task: true, targets: null }
    case 'running':
    case 'paused':
      return lookAtOpen(trx, task, needs)
    case 'finished':
    case 'cancelled':
      await endPortion(trx, task, needs.commands)
      return { task: true, targets: null }
  }
}

/** Writes the targets and begins the first stage; or ends the task where one of its people may decide no more. */
async function start(trx: Trx, task: LockedTask, { commands }: TaskWorkNeeds): Promise<void> {
  const nowMs = Date.now()
  const { scope, stopped } = await standingOfTask(trx, task)
  if (stopped) {
    const note = `${describeStop(stopped)}，任务未执行`
    const state = await moveTask(trx, task, 'cancelled', note, stopped)
    await writeTask(trx, task.id, { state, stopNote: note })
    return
  }
  const { devices, planned, beyond } = await plan(trx, task, scope)
  const counts = (await readCounts(trx, everything, [task.id])).get(task.id)
  const sum = sumOf(counts)
  const left = beyond.map(({ note, count }) => `，${count} 项${note}`).join('')
  const deciders = task.type === 'AUTO' ? `；${task.remark ?? ''}` : ''
  const cause = `任务开始：${devices} 台设备，跳过 ${sum.skipped} 项${left}${deciders}`
  await moveTask(trx, task, 'started', cause, { devices, skipped: sum.skipped })
  await writeTask(trx, task.id, {
    state: 'running',
    stage: planned.length > 0 ? 1 : null,
    targetCount: sum.total,
  })
  const stages = await listStages(trx, task.id)
  const [first] = stages
  if (first) {
    await beginStage(trx, { task, nowMs }, first)
    await setDue(trx, task.id, nextLook(task, first, nowMs))
  } else {
    await closeTask(trx, { ...task, state: 'running' }, 'completed', '没有设备需要升级', commands)
  }
}

async function plan(trx: Trx, task: LockedTask, scope: DataScope) {
  const devices = await resolvePlan(trx, task.id, await planWithin(trx, scope, task))
  if (task.rollbackOf !== null) await keepPlannedBytes(trx, task.id)
  const planned = planStages(devices, task.rule.stages)
  await insertStages(trx, task.id, planned)
  const firsts = planned.length > 0 ? firstRanks(planned) : [0]
  await insertTargets(trx, { taskId: task.id, firsts, pacePerMinute: task.rule.pacePerMinute })
  await insertTally(trx, task.id, firsts)
  return { devices, planned, beyond: await countBeyond(trx) }
}

async function lookAtOpen(trx: Trx, task: LockedTask, needs: TaskWorkNeeds): Promise<Changed> {
  const nowMs = Date.now()
  if (task.endsAt && task.endsAt.getTime() <= nowMs) {
    await closeTask(trx, task, 'completed', '任务已到结束时间', needs.commands)
    return { task: true, targets: null }
  }
  if (task.state === 'running' && task.stage !== null && task.releaseAt !== null) {
    await releasePortion(trx, task, task.stage)
    if (task.releaseAt !== null) {
      // Counting takes longer than a portion, and nothing is over before all targets have been released.
      await setDue(trx, task.id, new Date())
      return { task: false, targets: [] }
    }
  }
  const targets: string[] = []
  let hasMore = false
  if (task.state === 'paused') {
    const recalled = await recallUnsent(trx, task.id, needs.commands)
    targets.push(...recalled.targetIds)
    hasMore = recalled.hasMore
  }
  const isCheckDue = task.checkedAt === null || nowMs - task.checkedAt.getTime() >= checkEveryMs
  if (isCheckDue) {
    targets.push(...(await check(trx, task, nowMs, needs)))
    if (task.state === 'running') {
      const { limits, stopped } = await standingsOfRunning(
        trx,
        [task],
        await listAskers(trx, mayBeUnsent(task.id)),
      )
      const stop = stopped.get(task.id)
      if (stop) {
        await pauseTask(trx, task, pauseByDecider(stop, nowMs), needs.commands)
        return { task: true, targets: null }
      }
      targets.push(...(await takeBackBeyond(trx, task.id, limits, needs.commands)))
    }
  }
  let isChanged = await refreshTally(trx, task.id)
  const counts = (await readCounts(trx, everything, [task.id])).get(task.id) ?? new Map()
  const stages = await listStages(trx, task.id)
  if (task.state === 'running') {
    const before = task.stage
    const { stage, outcome } = await advanceStages(trx, {
      task,
      stages,
      counts,
      underWay: await readUnderWay(trx, everything, task.id),
      nowMs,
      isGateDue: isCheckDue,
    })
    if (stage !== before) {
      await writeTask(trx, task.id, { state: 'running', stage })
      isChanged = true
    }
    if (outcome.kind === 'stopped') {
      await pauseTask(trx, { ...task, stage }, outcome.pause, needs.commands)
      return { task: true, targets: null }
    }
    if (outcome.kind === 'passed' && !(await hasOpenTarget(trx, task.id))) {
      await closeTask(trx, task, 'completed', '全部设备已有结果', needs.commands)
      return { task: true, targets }
    }
    task.stage = stage
  }
  const current = stages.find(({ number }) => number === task.stage)
  await setDue(trx, task.id, hasMore ? new Date() : nextLook(task, current, nowMs))
  return { task: isChanged || targets.length > 0, targets }
}

const pauseByDecider = (stopped: StoppedDecider, nowMs: number): Pause => ({
  reason: 'decider',
  time: formatDateTime(new Date(nowMs)),
  note: `${describeStop(stopped)}，任务已暂停`,
  by: null,
  stage: null,
  failures: null,
  gate: null,
})

/**
 * Finds changes without an event: versions whose notice was lost, and devices that have a command and do not answer.
 */
async function check(
  trx: Trx,
  task: LockedTask,
  nowMs: number,
  { commands }: Pick<TaskWorkNeeds, 'commands'>,
): Promise<string[]> {
  await markChecked(trx, task.id)
  const verified = await verify(trx, ofTask(task.id), commands)
  const stalledSince = new Date(nowMs - task.rule.stallMinutes * 60_000)
  const unanswered = await listUnanswered(trx, task.id, stalledSince)
  const given = new Set(
    await commands.cancel(
      trx,
      unanswered.map(({ commandId }) => commandId),
    ),
  )
  const moved = await move(
    trx,
    ofIds(unanswered.filter(({ commandId }) => given.has(commandId)).map(({ id }) => id)),
    ({ commandId, state, dueAtMs }) =>
      state === 'sent' && dueAtMs === null && commandId !== null && given.has(commandId)
        ? [{ kind: 'unanswered', nowMs }]
        : [],
  )
  return [...verified, ...moved].map(({ id }) => id)
}

/**
 * At once while targets are still to be released. Otherwise a change hastens it; without one, the next check, the
 * soak's end or the task's end.
 */
function nextLook({ endsAt, releaseAt }: LockedTask, stage: Stage | undefined, nowMs: number): Date {
  if (releaseAt !== null) return new Date(nowMs)
  const soakMs = stage?.state === 'soaking' ? (stage.soakUntil?.getTime() ?? Infinity) : Infinity
  return new Date(Math.min(nowMs + checkEveryMs, soakMs, endsAt?.getTime() ?? Infinity))
}
