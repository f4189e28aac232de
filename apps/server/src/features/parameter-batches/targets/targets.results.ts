import type { FinishedCommand, LateAnswer } from '../../../platform/devices/commands/commands.moves.ts'
import { sharedNowMs } from '../../../platform/process/clocks/shared-clock.ts'
import type { TargetEvent } from './targets.states.ts'

/** The device says that it has done it. */
export const confirms = ({ outcome }: FinishedCommand | LateAnswer) => outcome === 'done'

/** What the end of its newest command is to a target. */
export function eventOf({ result, outcome, reason, attempts }: FinishedCommand): TargetEvent | null {
  const nowMs = sharedNowMs()
  switch (result) {
    case 'answered':
      return outcome === 'done'
        ? { kind: 'claimed', nowMs }
        : { kind: 'failed', reason: reason ?? '设备执行失败', nowMs }
    case 'refused':
      return { kind: 'refused', reason: reason ?? '设备拒绝执行' }
    // The command's deadline is the batch's end.
    case 'expired':
      return attempts > 0 ? { kind: 'ended' } : { kind: 'neverThere' }
    // Cancelled by a stop, a verified value or a timeout, which have moved the target themselves.
    case 'cancelled':
      return null
  }
}
