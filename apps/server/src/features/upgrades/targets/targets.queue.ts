// Timed work on targets: commands that are due, and timeouts.
import type { QueueNeeds } from '../../../domain/device-work/device-work.ts'
import type { Trx } from '../../../platform/database/database.ts'
import type { Worker } from '../../../platform/database/work/worker.ts'
import type { NewCommand } from '../../../platform/devices/commands/commands.ts'
import type { Files } from '../../../platform/files/kept/index.ts'
import type { TaskLimits } from './bytes.queries.ts'
import { readOrders, type TargetOrder } from './targets.queries.ts'
import { isOpen, type TargetEvent } from './targets.states.ts'
import { type MovingTarget, targets } from './targets.work.ts'

/** Also for targets of a task that is about to pause, because somebody who decided about it may do so no more. */
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

export interface TargetWorkNeeds extends QueueNeeds<MovingTarget> {
  files: Pick<Files, 'addressFor'>
  decisionsOn: (trx: Trx, due: readonly Pick<MovingTarget, 'id' | 'asker'>[]) => Promise<Decisions>
}

interface TargetsLook extends Pick<Decisions, 'isDecided'> {
  orders: ReadonlyMap<string, TargetOrder>
  nowMs: number
}

export const createTargetQueue = ({ files, decisionsOn, ...needs }: TargetWorkNeeds): Worker =>
  targets.queue<TargetsLook>(needs, {
    leaseMs,
    async read(trx, rows, nowMs) {
      const { limits, isDecided } = await decisionsOn(trx, rows)
      return { orders: await readOrders(trx, rows, limits), isDecided, nowMs }
    },
    eventsOf,
    commandOf: (target, look) => commandOf(target, look, files),
  })

function eventsOf(
  { id, state, taskId, stage }: MovingTarget,
  { orders, isDecided, nowMs }: TargetsLook,
): TargetEvent | null {
  const order = orders.get(id)
  if (!order) return null
  // The version may have been reported although no notice told of it.
  if (order.addrIds.length === 0 && isOpen(state)) return { kind: 'verified' }
  const { supply } = order
  if (supply.endsAt && supply.endsAt.getTime() <= nowMs) return { kind: 'ended' }
  if (state === 'waiting') {
    const isRunning = supply.state === 'running' && supply.stage !== null && stage <= supply.stage
    if (!isRunning) return { kind: 'deferred' }
    if (!isDecided(taskId)) return null
    if (order.beyond !== null) return { kind: 'outOfReach', reason: order.beyond }
  }
  const { stillReports: reports } = order
  const wanted = supply.version
  return { kind: 'due', nowMs, still: reports === null ? null : { reports, wanted } }
}

function commandOf(
  { id, state, taskId, deviceId, deviceCode }: MovingTarget,
  { orders, nowMs }: TargetsLook,
  files: Pick<Files, 'addressFor'>,
): NewCommand | null {
  const order = orders.get(id)
  if (state !== 'sent' || !order) return null
  const { partType, supply } = order
  const { endsAt, pcbCode, version, hwVersion, fileName, fileId, sizeBytes, md5, sha256 } = supply
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
      addrIds: [...order.addrIds],
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
