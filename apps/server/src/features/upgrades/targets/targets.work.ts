// Targets of tasks as work on devices: their table, their states, what is recorded of each step, and the parts that go
// on when the one before them has its result.
import type { UpgradeTargetState } from '@voltkeep/contract'
import { sql } from 'kysely'
import { deviceWork, type Step } from '../../../domain/device-work/device-work.ts'
import type { Asker, WorkRow } from '../../../domain/device-work/work.queries.ts'
import { sharedNowMs } from '../../../platform/process/clocks/shared-clock.ts'
import { recordTransitions, type Transition } from '../transitions.queries.ts'
import { behind, isOpenTarget, isVerified, readRules } from './targets.queries.ts'
import { isOpen, type Target, type TargetEvent, type TargetRule, targetAfter } from './targets.states.ts'

/** A target with the fields that its moves need. */
export interface MovingTarget extends Target, WorkRow {
  state: UpgradeTargetState
  taskId: number
  stage: number
  position: number
  /** Who asked for the present attempt; null where the makers of the task did. */
  asker: Asker | null
  rule: TargetRule
}

export const targets = deviceWork<MovingTarget, TargetEvent>({
  name: 'upgrade_target',
  joins: sql`JOIN upgrade_task a ON a.id = t.task_id`,
  columns: {
    percent: ['percent', 'int4'],
    attempts: ['attempts', 'int4'],
    claimedAtMs: ['claimed_at', 'ms'],
    heardAtMs: ['reported_at', 'ms'],
    asker: ['asked_by', 'asker'],
  },
  reads: sql`, t.task_id AS "taskId", t.stage, t.position,
    floor(extract(epoch FROM t.changed_at) * 1000)::float8 AS "changedAtMs"`,
  async complete(trx, rows) {
    const rules = await readRules(trx, [...new Set(rows.map(({ taskId }) => taskId))])
    for (const row of rows) row.rule = rules.get(row.taskId) as TargetRule
  },
  writes: sql`,
    started_at = CASE WHEN n.state = 'sent' THEN coalesce(t.started_at, now()) ELSE t.started_at END,
    verified_at = CASE WHEN n.state = 'succeeded' THEN coalesce(t.verified_at, now()) END`,
  isOpen: isOpenTarget,
  isVerified,
  after(target, event) {
    const after = targetAfter(target, event, target.rule)
    return after !== target && isFromDevice(event) ? { ...after, heardAtMs: sharedNowMs() } : after
  },
  verified: { kind: 'verified' },
  record: (trx, steps) =>
    recordTransitions(
      trx,
      steps.filter(({ before, after }) => before.state !== after.state).map(transitionOf),
    ),
  /** The next part of a device goes on when the one before it has succeeded, and is skipped where that one has not. */
  async follow(trx, steps, move) {
    const through = steps.filter(isThrough).map(({ after }) => after)
    if (through.length === 0) return []
    const keyOf = ({ taskId, deviceId }: MovingTarget) => `${taskId} ${deviceId}`
    const ahead = new Map(through.map((target) => [keyOf(target), target]))
    const released = new Set<string>()
    return move(trx, behind(through), (target) => {
      const key = keyOf(target)
      if (ahead.get(key)?.state !== 'succeeded') return { kind: 'predecessorFailed' }
      if (released.has(key)) return null
      released.add(key)
      return { kind: 'released', dueAtMs: sharedNowMs() }
    })
  },
})

/** The target has its result by this step. A cancelled or ended task ends all its targets itself. */
const isThrough = ({ before, after, event: { kind } }: Step<MovingTarget, TargetEvent>) =>
  isOpen(before.state) && !isOpen(after.state) && kind !== 'cancelled' && kind !== 'ended'

const transitionOf = ({ before, after, event }: Step<MovingTarget, TargetEvent>): Transition => ({
  taskId: before.taskId,
  stage: before.stage,
  targetId: before.id,
  from: before.state,
  to: after.state,
  cause: after.reason && after.reason !== before.reason ? after.reason : causeOf(event),
  detail: after.attempts > before.attempts ? { attempts: after.attempts } : null,
})

function isFromDevice({ kind }: TargetEvent): boolean {
  switch (kind) {
    case 'taken':
    case 'refused':
    case 'progressed':
    case 'claimed':
    case 'failed':
    case 'verified':
      return true
    case 'due':
    case 'deferred':
    case 'released':
    case 'outOfReach':
    case 'recalled':
    case 'unanswered':
    case 'neverThere':
    case 'predecessorFailed':
    case 'ended':
    case 'cancelled':
    case 'retried':
      return false
  }
}

function causeOf(event: TargetEvent): string {
  switch (event.kind) {
    case 'due':
      return '下发升级命令'
    case 'deferred':
    case 'recalled':
      return '任务已暂停，收回未送达的命令'
    case 'released':
      return '继续升级'
    case 'outOfReach':
      return event.reason
    case 'taken':
      return '设备已接受'
    case 'refused':
      return '设备拒绝升级'
    case 'unanswered':
      return '设备未答复'
    case 'neverThere':
      return '设备一直离线'
    case 'progressed':
      return event.to === 'downloading' ? '设备开始下载' : '设备开始安装'
    case 'claimed':
      return '设备报告安装完成'
    case 'failed':
      return '设备报告失败'
    case 'verified':
      return '设备已报告新版本'
    case 'predecessorFailed':
      return '前一部件未成功'
    case 'ended':
      return '任务已到结束时间'
    case 'cancelled':
      return '任务已取消'
    case 'retried':
      return '用户要求重试'
  }
}
