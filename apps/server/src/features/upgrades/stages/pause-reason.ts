// Why a task is paused, as its row keeps it. Rows are older than the present build: of a value in another shape, the
// readable fields are read, and the sentence has the rest.
import {
  UpgradeFailureFigures,
  UpgradeGateFigures,
  type UpgradePauseReason,
  upgradePauseReasons,
} from '@voltkeep/contract'
import * as z from 'zod/mini'

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

/** The kept figures of a gate; null where the value does not have today's shape. */
export const gateOf = (kept: unknown): UpgradeGateFigures | null =>
  z.safeParse(UpgradeGateFigures, kept).data ?? null

const Kept = z.object({
  reason: z.enum(upgradePauseReasons),
  time: z.string(),
  note: z.catch(z.string(), ''),
  by: z.catch(z.nullable(z.string()), null),
  stage: z.catch(z.nullable(z.number()), null),
  failures: z.optional(z.unknown()),
  gate: z.optional(z.unknown()),
})

/** A kept pause; null where not even its reason and its time can be read. */
export function pauseOf(kept: unknown): Pause | null {
  const { data } = z.safeParse(Kept, kept)
  return data ? { ...data, failures: failuresOf(data.failures), gate: gateOf(data.gate) } : null
}

/** Older rows compare failures with the targets that had a result (`executed`); newer ones with all that had begun. */
function failuresOf(kept: unknown): FailureFigures | null {
  const withBegun =
    typeof kept === 'object' && kept !== null && 'executed' in kept ? { begun: kept.executed, ...kept } : kept
  return z.safeParse(UpgradeFailureFigures, withBegun).data ?? null
}
