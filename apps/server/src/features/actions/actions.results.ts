import type { FinishedCommand } from '../../platform/devices/commands/commands.moves.ts'
import { sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import type { ActionEvent } from './actions.states.ts'

/** What the end of its command is to an action. */
export function eventOf({ result, outcome, reason }: FinishedCommand): ActionEvent | null {
  const nowMs = sharedNowMs()
  switch (result) {
    case 'answered':
      return outcome === 'done'
        ? { kind: 'answered', nowMs }
        : { kind: 'failed', reason: reason ?? '设备执行失败', nowMs }
    case 'refused':
      return { kind: 'refused', reason: reason ?? '设备拒绝执行', nowMs }
    case 'expired':
      return { kind: 'expired' }
    // By this feature, which moves the action itself.
    case 'cancelled':
      return null
  }
}
