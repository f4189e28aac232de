// Timed work on targets: commands that are due, and timeouts.
import type pg from 'pg'
import type { Trx } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import { kyselyOn } from '../../../platform/database/statements.ts'
import { createLeaseQueue } from '../../../platform/database/work/lease-queue.ts'
import type { Worker } from '../../../platform/database/work/worker.ts'
import type { Commands, NewCommand } from '../../../platform/devices/commands/commands.ts'
import type { Files } from '../../../platform/files/kept/index.ts'
import type { Log } from '../../../platform/process/log.ts'
import type { TaskLimits } from './bytes.queries.ts'
import { move, targetTable } from './targets.moves.ts'
import { type MovingTarget, ofIds, postpone, readOrders, type TargetOrder } from './targets.queries.ts'
import type { TargetEvent } from './targets.states.ts'

const leaseMs = 60_000
/** A command waits so long for a device that is away, and its address of the file is good for as long. */
const longestCommandMs = 30 * 86_400_000
const commandRule = { maxAttempts: 5, intervalMs: 60_000 }

/** What those who decide about targets leave of them, as of now. */
export interface Decisions {
  limits: TaskLimits
  /** Whether nobody stops the task of a target that waits. */
  isDecided: (taskId: number) => boolean
}

export interface TargetWorkNeeds {
  pool: pg.Pool
  notices: Pick<Notices, 'subscribe'>
  log: Log
  commands: Pick<Commands, 'send'>
  files: Pick<Files, 'addressFor'>
  decisionsOn: (trx: Trx, targetIds: readonly string[]) => Promise<Decisions>
  tellChanged: (targets: readonly MovingTarget[]) => void
}

export function createTargetQueue(needs: TargetWorkNeeds): Worker {
  return createLeaseQueue<{ id: string }>(needs, {
    table: targetTable,
    key: ['id'],
    columns: 't.id',
    leaseMs,
    reschedulesAll: true,
    async handle(connection, due) {
      const moved = await moveDue(
        kyselyOn(connection),
        due.map(({ id }) => id),
        needs,
      )
      return () => needs.tellChanged(moved)
    },
  })
}

async function moveDue(
  trx: Trx,
  ids: readonly string[],
  { commands, files, decisionsOn }: Pick<TargetWorkNeeds, 'commands' | 'files' | 'decisionsOn'>,
): Promise<MovingTarget[]> {
  const nowMs = Date.now()
  const { limits, isDecided } = await decisionsOn(trx, ids)
  const orders = await readOrders(trx, ids, limits)
  const look = { nowMs, isDecided }
  const moved = await move(trx, ofIds(ids), (target) => eventsOf(target, orders.get(target.id), look), {
    async prepare(targets) {
      const sent = targets.filter(({ state, dueAtMs }) => state === 'sent' && dueAtMs === null)
      const commandIds = await commands.send(
        trx,
        sent.map((target) => commandOf(target, orders.get(target.id) as TargetOrder, files, nowMs)),
      )
      for (const [index, target] of sent.entries()) target.commandId = commandIds[index] ?? null
    },
  })
  const movedIds = new Set(moved.map(({ id }) => id))
  const left = ids.filter((id) => !movedIds.has(id))
  // Those of a task that is about to pause, because somebody who decided about it may do so no more.
  if (left.length > 0) await postpone(trx, left, leaseMs)
  return moved
}

function eventsOf(
  { state, taskId }: Pick<MovingTarget, 'state' | 'taskId'>,
  order: TargetOrder | undefined,
  { nowMs, isDecided }: { nowMs: number; isDecided: (taskId: number) => boolean },
): readonly TargetEvent[] {
  if (!order) return []
  // The version may have been reported although no notice told of it.
  if (order.isVerified) return [{ kind: 'verified' }]
  if (order.endsAt && order.endsAt.getTime() <= nowMs) return [{ kind: 'ended' }]
  if (state === 'waiting') {
    if (!order.isRunning) return [{ kind: 'deferred' }]
    if (!isDecided(taskId)) return []
    if (order.beyond !== null) return [{ kind: 'outOfReach', reason: order.beyond }]
  }
  const { stillReports: reports, version: wanted } = order
  return [{ kind: 'due', nowMs, still: reports === null ? null : { reports, wanted } }]
}

function commandOf(
  { id, taskId, deviceId, deviceCode }: MovingTarget,
  order: TargetOrder,
  files: Pick<Files, 'addressFor'>,
  nowMs: number,
): NewCommand {
  const { endsAt, partType, addrIds, pcbCode, version, hwVersion, fileName, fileId, sizeBytes, md5, sha256 } =
    order
  const deadline = new Date(Math.min(nowMs + longestCommandMs, endsAt?.getTime() ?? Infinity))
  return {
    deviceId,
    deviceCode,
    topic: 'upgrade',
    deadline,
    rule: commandRule,
    body: {
      taskId: String(taskId),
      targetId: id,
      partType,
      addrIds,
      pcbCode,
      version,
      ...(hwVersion !== null && { hwVersion }),
      fileName,
      url: files.addressFor(deviceCode, fileId, { expiresAt: deadline }),
      sizeBytes,
      md5,
      sha256,
    },
  }
}
