// Timed work on targets: commands that are due, and timeouts.
import { wireParameterValue } from '@voltkeep/contract'
import type { QueueNeeds } from '../../domain/device-work/device-work.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import type { NewCommand } from '../../platform/devices/commands/commands.ts'
import { readObstacles } from './batches.deciders.ts'
import {
  type MovingTarget,
  readMismatches,
  readOrders,
  type TargetEvent,
  type TargetOrder,
  targets,
} from './targets/index.ts'

interface Look {
  orders: ReadonlyMap<string, TargetOrder>
  obstacles: ReadonlyMap<string, TargetEvent>
  mismatches: ReadonlyMap<string, string>
  nowMs: number
}

export const createTargetQueue = (needs: QueueNeeds<MovingTarget>): Worker =>
  targets.queue<Look>(needs, {
    leaseMs: 60_000,
    async read(trx, rows, nowMs) {
      const ids = rows.map(({ id }) => id)
      const orders = await readOrders(trx, rows)
      const due = rows.flatMap(({ id, asker, deed }) => {
        const order = orders.get(id)
        return order ? [{ ...order, asked: asker && { asker, deed, continuedBy: order.continuedBy } }] : []
      })
      const obstacles = await readObstacles(trx, due)
      return { orders, obstacles, mismatches: await readMismatches(trx, ids), nowMs }
    },
    eventsOf,
    commandOf: (target, { orders }) =>
      target.state === 'sent' ? commandOf(target, orders.get(target.id)) : null,
  })

function eventsOf(
  { id, state }: MovingTarget,
  { orders, obstacles, mismatches, nowMs }: Look,
): TargetEvent | null {
  const order = orders.get(id)
  if (!order) return null
  const mismatch = mismatches.get(id)
  // The values may have been reported although no notice told of it.
  if (order.isVerified) return { kind: 'verified' }
  if (order.endsAt.getTime() <= nowMs) return { kind: 'ended', mismatch }
  if (state !== 'waiting') return { kind: 'due', nowMs, mismatch }
  return order.isRunning ? (obstacles.get(id) ?? { kind: 'due', nowMs }) : { kind: 'stopped' }
}

function commandOf(target: MovingTarget, order: TargetOrder | undefined): NewCommand {
  if (!order) throw new Error('only a target with an order is sent')
  const { deviceId, deviceCode, batchId, rule } = target
  return {
    deviceId,
    deviceCode,
    topic: 'setParameters',
    // The command waits until the end for a device that is away; the batch's check finds one that is there and silent.
    deadline: order.endsAt,
    rule: { maxAttempts: 1, intervalMs: rule.intervalMs },
    body: {
      batchId: String(batchId),
      parameters: Object.entries(order.wanted).map(([id, value]) => ({
        id,
        value: wireParameterValue(id, value),
      })),
    },
  }
}
