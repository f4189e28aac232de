// What devices' answers to the upgrade command mean for targets. Runs in the transaction that ends the commands.
import { type SqlBool, sql } from 'kysely'
import type { FinishedCommand, LateAnswer } from '../../../platform/devices/commands/commands.moves.ts'
import { sharedNowMs } from '../../../platform/process/clocks/shared-clock.ts'
import { isAwaiting, isOpenTarget } from './targets.queries.ts'
import type { TargetEvent } from './targets.states.ts'
import { type MovingTarget, targets } from './targets.work.ts'

export const createUpgradeResults = (tellChanged: (targets: readonly MovingTarget[]) => void) =>
  targets.results(tellChanged, eventOf, { lateOf, among })

/** Nearly all devices accept the command that their target waits for, and then nothing moves. */
function among(results: readonly (FinishedCommand | LateAnswer)[]) {
  const accepted = results.flatMap(({ id, outcome }) => (outcome === 'done' ? [id] : []))
  return sql<SqlBool>`${isOpenTarget} AND NOT (${isAwaiting} AND t.command_id = ANY(${accepted}::uuid[]))`
}

/** A late answer shows that the device had the command, although it was given up or taken back. */
const lateOf = ({ outcome }: LateAnswer): TargetEvent | null =>
  outcome === 'done' ? { kind: 'taken', nowMs: sharedNowMs() } : null

function eventOf({ result, outcome, reason, attempts }: FinishedCommand): TargetEvent | null {
  const nowMs = sharedNowMs()
  switch (result) {
    case 'answered':
      return outcome === 'done'
        ? { kind: 'taken', nowMs }
        : { kind: 'failed', reason: reason ?? '设备执行失败', nowMs }
    case 'refused':
      return { kind: 'refused', reason: reason ?? '设备拒绝升级' }
    case 'expired':
      return attempts > 0 ? { kind: 'unanswered', nowMs } : { kind: 'neverThere' }
    // Cancelled by a pause, a cancellation or a verified version, which have moved the target themselves.
    case 'cancelled':
      return null
  }
}
