// Targets of batches as work on devices: their table, their states, and the log of their attempts.
import type { BatchDeviceState } from '@voltkeep/contract'
import { sql } from 'kysely'
import { deviceWork } from '../../../domain/device-work/device-work.ts'
import type { Asker, WorkRow } from '../../../domain/device-work/work.queries.ts'
import { type AttemptChange, insertAttempts, writeAttempts } from './attempts.queries.ts'
import { isOpenTarget, isVerified } from './targets.queries.ts'
import {
  attemptAfter,
  attemptReasonAfter,
  type Target,
  type TargetEvent,
  type TargetRule,
  targetAfter,
} from './targets.states.ts'

/** A target with the fields that its moves need. */
export interface MovingTarget extends Target, WorkRow {
  state: BatchDeviceState
  batchId: number
  asker: Asker | null
  rule: TargetRule
}

export const targets = deviceWork<MovingTarget, TargetEvent>({
  name: 'parameter_target',
  joins: sql`JOIN parameter_batch b ON b.id = t.batch_id`,
  columns: { attempts: ['attempts', 'int4'], asker: ['asked_by', 'asker'] },
  reads: sql`, t.batch_id AS "batchId", jsonb_build_object('attempts', b.max_attempts,
    'intervalMs', b.interval_minutes * 60000, 'isStopping', b.state <> 'running') AS rule`,
  writes: sql`, verified_at = CASE WHEN n.state = 'succeeded' THEN coalesce(t.verified_at, now()) END`,
  isOpen: isOpenTarget,
  isVerified,
  after: (target, event) => targetAfter(target, event, target.rule),
  verified: { kind: 'verified' },
  async record(trx, steps) {
    const sent = steps.filter(({ after }) => after.state === 'sent')
    await insertAttempts(
      trx,
      sent.flatMap(({ after: { batchId, id, commandId } }) =>
        commandId ? [{ batchId, targetId: id, commandId }] : [],
      ),
    )
    await writeAttempts(
      trx,
      steps.flatMap(({ before, event }) => attemptOf(before, event)),
    )
  },
})

function attemptOf(before: MovingTarget, event: TargetEvent): AttemptChange[] {
  const result = attemptAfter(before, event)
  const { commandId } = before
  if (commandId === null || (result === null && event.kind !== 'claimed')) return []
  const isAnswered = event.kind === 'claimed' || event.kind === 'failed' || event.kind === 'refused'
  return [{ commandId, result, reason: attemptReasonAfter(before, event), isAnswered }]
}
