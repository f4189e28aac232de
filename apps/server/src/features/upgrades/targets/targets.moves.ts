/**
 * Every change of single targets, by devices' answers and reports, by time or by users, goes through `move`, which
 * locks, asks the pure table, writes its result and records it, in the caller's transaction.
 *
 * Locks are taken in one order: commands first, then targets by id. The handlers of results get their commands locked,
 * so code that ends commands does so before it locks a target.
 */
import type { RawBuilder, SqlBool } from 'kysely'
import type { Trx } from '../../../platform/database/database.ts'
import { statementsOf } from '../../../platform/database/statements.ts'
import { wake } from '../../../platform/database/work/lease-queue.ts'
import type { Commands } from '../../../platform/devices/commands/commands.ts'
import { recordTransitions, type Transition } from '../transitions.queries.ts'
import {
  behind,
  commandsUnderWay,
  listVerified,
  lockTargets,
  type MovingTarget,
  ofIds,
  writeTargets,
} from './targets.queries.ts'
import { isOpen, type TargetEvent, targetAfter } from './targets.states.ts'

export const targetTable = 'upgrade_target'

export interface Move {
  target: MovingTarget
  /** In the order in which they happened. */
  events: readonly TargetEvent[]
}

interface Moved extends MovingTarget {
  isHeard: boolean
}

/** Further hooks of `move`. */
export interface MoveHooks {
  /** Completes targets before they are written: the command of one that is sent. */
  prepare?(targets: MovingTarget[]): Promise<void>
  /** Called where the event changed nothing. */
  onUnmoved?(target: MovingTarget, event: TargetEvent): void
}

/** Applies to each target of the condition its events. Answers those that changed, as they are. */
export async function move(
  trx: Trx,
  condition: RawBuilder<SqlBool>,
  eventsOf: (target: MovingTarget) => readonly TargetEvent[],
  { prepare, onUnmoved }: MoveHooks = {},
): Promise<MovingTarget[]> {
  const changed: Moved[] = []
  const transitions: Transition[] = []
  const through: MovingTarget[] = []
  for (const before of await lockTargets(trx, condition)) {
    let target = before
    let isHeard = false
    for (const event of eventsOf(before)) {
      const after = targetAfter(target, event, target.rule)
      if (after === target) {
        onUnmoved?.(target, event)
        continue
      }
      if (after.state !== target.state) transitions.push(transitionOf(target, after, event))
      target = { ...target, ...after }
      isHeard ||= isFromDevice(event)
    }
    if (target === before) continue
    changed.push({ ...target, isHeard })
    if (isOpen(before.state) && !isOpen(target.state)) through.push(target)
  }
  if (changed.length === 0) return []
  await prepare?.(changed)
  await writeTargets(trx, changed)
  await recordTransitions(trx, transitions)
  await wakeFor(trx, changed)
  return [...changed, ...(await moveBehind(trx, through))]
}

/** The next part of a device goes on when the one before it has succeeded, and is skipped where that one has not. */
async function moveBehind(trx: Trx, through: readonly MovingTarget[]): Promise<MovingTarget[]> {
  // A cancelled or ended task ends all its targets itself.
  const ahead = through.filter(({ state }) => state !== 'cancelled')
  if (ahead.length === 0) return []
  const keyOf = ({ taskId, deviceId }: MovingTarget) => `${taskId} ${deviceId}`
  const byDevice = new Map(ahead.map((target) => [keyOf(target), target]))
  const released = new Set<string>()
  return move(trx, behind(ahead), (target) => {
    const key = keyOf(target)
    const isThrough = byDevice.get(key)?.state === 'succeeded'
    if (!isThrough) return [{ kind: 'predecessorFailed' }]
    if (released.has(key)) return []
    released.add(key)
    return [{ kind: 'released', dueAtMs: Date.now() }]
  })
}

/** Marks targets as succeeded whose devices report the version, and ends the commands that would bring it. */
export async function verify(
  trx: Trx,
  condition: RawBuilder<SqlBool>,
  commands: Pick<Commands, 'cancel'>,
): Promise<MovingTarget[]> {
  const ids = await listVerified(trx, condition)
  if (ids.length === 0) return []
  await commands.cancel(trx, await commandsUnderWay(trx, ofIds(ids)))
  return move(trx, ofIds(ids), () => [{ kind: 'verified' }])
}

async function wakeFor(trx: Trx, targets: readonly MovingTarget[]): Promise<void> {
  const firstMs = targets.reduce((first, { dueAtMs }) => Math.min(first, dueAtMs ?? Infinity), Infinity)
  if (firstMs !== Infinity) await wakeTargets(trx, firstMs - Date.now())
}

/** Makes targets due in so many ms. */
export async function wakeTargets(trx: Trx, inMs: number): Promise<void> {
  await statementsOf(trx).query(wake(targetTable, inMs))
}

const transitionOf = (
  before: MovingTarget,
  after: Pick<MovingTarget, 'state' | 'reason' | 'attempts'>,
  event: TargetEvent,
): Transition => ({
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
