import type { FinishedCommand } from '../../platform/devices/commands/commands.moves.ts'
import type { ExtractionEvent } from './log-extraction.states.ts'

/** What the end of its command is to an extraction. */
export function eventOf({ result, outcome, reason }: FinishedCommand): ExtractionEvent | null {
  switch (result) {
    case 'answered':
      return outcome === 'done' ? { kind: 'taken' } : { kind: 'refused', reason: reason ?? '设备执行失败' }
    case 'refused':
      return { kind: 'refused', reason: reason ?? '设备拒绝执行' }
    // The extraction has a deadline of its own, and a cancelled command was cancelled by the extraction.
    case 'expired':
    case 'cancelled':
      return null
  }
}
