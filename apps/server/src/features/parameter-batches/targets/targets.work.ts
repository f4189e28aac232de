// Targets of batches as work on devices: their table, their states, and the log of their attempts.
import type { BatchDeviceState } from '@voltkeep/contract'
import { sql } from 'kysely'
import { deviceWork } from '../../../domain/device-work/device-work.ts'
import type { Asker, WorkRow } from '../../../domain/device-work/work.queries.ts'
import { type AttemptChange, insertAttempts, writeAttempts } from './attempts.queries.ts'
import { isOpenTarget, isVerified, readRules } from './targets.queries.ts'
import {
  attemptAfter,
  attemptReasonAfter,
  type Target,
  type TargetEvent,
  type TargetRule,
  targetAfter,
} from './targets.states.ts'

/** What the asker of an attempt did: let the device begin after the trial, or ask for another attempt. */
export type AskerDeed = 'continued' | 'retried'

/** A target with the fields that its moves need. */
export interface MovingTarget extends Target, WorkRow {
  state: BatchDeviceState
  batchId: number
  asker: Asker | null
  deed: AskerDeed | null
  rule: TargetRule
}

export const targets = deviceWork<MovingTarget, TargetEvent>({
  name: 'parameter_target',
  joins: sql`JOIN parameter_batch b ON b.id = t.batch_id`,
  columns: { attempts: ['attempts', 'int4'], asker: ['asked_by', 'asker'], deed: ['asked_deed', 'text'] },
  reads: sql`, t.batch_id AS "batchId"`,
  async complete(trx, rows) {
    const rules = await readRules(trx, [...new Set(rows.map(({ batchId }) => batchId))])
    for (const row of rows) row.rule = rules.get(row.batchId) as TargetRule
  },
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
    const changes = new Map<string, AttemptChange>()
    for (const { before, event } of steps) {
      const change = attemptOf(before, event)
      if (!change) continue
      // A device that answers and has reported the values takes two steps at once.
      const isAnswered = change.isAnswered || changes.get(change.commandId)?.isAnswered === true
      changes.set(change.commandId, { ...change, isAnswered })
    }
    await writeAttempts(trx, [...changes.values()])
  },
})

function attemptOf(before: MovingTarget, event: TargetEvent): AttemptChange | null {
  const result = attemptAfter(before, event)
  const { id: targetId, commandId } = before
  if (commandId === null || (result === null && event.kind !== 'claimed')) return null
  const isAnswered = event.kind === 'claimed' || event.kind === 'failed' || event.kind === 'refused'
  return { targetId, commandId, result, reason: attemptReasonAfter(before, event), isAnswered }
}
