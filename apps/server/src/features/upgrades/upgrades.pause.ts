// Why a task is paused, as its row keeps it.
import type { UpgradeGateFigures, UpgradePauseReason } from '@voltkeep/contract'

/** Of one stage. */
export interface FailureFigures {
  /** Targets with a result, and those under way. */
  begun: number
  /** Targets with a result: succeeded, failed, refused, timedOut. */
  executed: number
  failed: number
  failurePercent: number
  minSample: number
}

/** The gate's figures as they are kept: times as text. */
export interface Pause {
  reason: UpgradePauseReason
  /** As the wire shows it. */
  time: string
  /** A sentence for people. */
  note: string
  /** Who paused it; null where the task did so itself. */
  by: string | null
  stage: number | null
  failures: FailureFigures | null
  gate: UpgradeGateFigures | null
}
