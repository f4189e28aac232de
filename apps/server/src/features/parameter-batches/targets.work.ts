// Timed work on targets: commands that are due, and timeouts.
import { wireParameterValue } from '@voltkeep/contract'
import type pg from 'pg'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { kyselyOn } from '../../platform/database/statements.ts'
import { createLeaseQueue } from '../../platform/database/work/lease-queue.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import type { Commands, NewCommand } from '../../platform/devices/commands/commands.ts'
import type { Log } from '../../platform/process/log.ts'
import { readObstacles } from './batches.deciders.ts'
import { move, targetTable } from './targets.moves.ts'
import { type MovingTarget, ofIds, readMismatches, readOrders, type TargetOrder } from './targets.queries.ts'
import type { TargetEvent } from './targets.states.ts'

const leaseMs = 60_000

export interface TargetWorkNeeds {
  pool: pg.Pool
  notices: Pick<Notices, 'subscribe'>
  log: Log
  commands: Pick<Commands, 'send'>
  tellChanged: (targets: readonly MovingTarget[]) => void
}

export function createTargetQueue(needs: TargetWorkNeeds): Worker {
  return createLeaseQueue<{ id: string }>(needs, {
    table: targetTable,
    key: ['id'],
    columns: 't.id',
    leaseMs,
    async handle(connection, due) {
      const trx = kyselyOn(connection)
      const nowMs = Date.now()
      const ids = due.map(({ id }) => id)
      const orders = await readOrders(trx, ids)
      const obstacles = await readObstacles(trx, [...orders.values()])
      const mismatches = await readMismatches(trx, ofIds(ids))
      const moved = await move(
        trx,
        ofIds(ids),
        ({ id, state }) =>
          eventOf(state, orders.get(id), {
            obstacle: obstacles.get(id),
            mismatch: mismatches.get(id),
            nowMs,
          }),
        (sent) =>
          needs.commands.send(
            trx,
            sent.map((target) => commandOf(target, orders.get(target.id))),
          ),
      )
      return () => needs.tellChanged(moved)
    },
  })
}

function eventOf(
  state: MovingTarget['state'],
  order: TargetOrder | undefined,
  {
    obstacle,
    mismatch,
    nowMs,
  }: { obstacle: TargetEvent | undefined; mismatch: string | undefined; nowMs: number },
): TargetEvent | null {
  if (!order) return null
  // The values may have been reported although no notice told of it.
  if (order.isVerified) return { kind: 'verified' }
  if (order.endsAt.getTime() <= nowMs) return { kind: 'ended', mismatch }
  if (state !== 'waiting') return { kind: 'due', nowMs, mismatch }
  return order.isRunning ? (obstacle ?? { kind: 'due', nowMs }) : { kind: 'stopped' }
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
