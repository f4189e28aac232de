// The trial of a batch: when it is over, and whether the batch continues by itself. A pure decision of what a look has
// read, and of the time.
import type { BatchTrialState, ParameterBatchState } from '@voltkeep/contract'
import type { TrialFigures } from './targets/index.ts'

/** The trial as the batch's row keeps it. */
export interface Trial {
  devices: number
  autoMinutes: number | null
  endedAt: Date | null
  continuedAt: Date | null
}

const minuteMs = 60_000

/**
 * What happens to the batch now. A device that is away does not delay the others: it gets the values when it comes back.
 * Where none has a result yet, the trial has shown nothing and goes on.
 */
export function decideTrial(
  state: ParameterBatchState,
  figures: TrialFigures,
): 'trialEnded' | 'continued' | null {
  const { open, away, succeeded, unsuccessful, hasHeld } = figures
  if (state === 'paused') return hasHeld ? null : 'continued'
  if (state !== 'running' || !hasHeld || open > away) return null
  return open > 0 && succeeded + unsuccessful === 0 ? null : 'trialEnded'
}

/** When a batch that waits continues by itself; null where somebody has to continue it. */
export function autoTimeOf({ autoMinutes, endedAt, continuedAt }: Trial): Date | null {
  if (autoMinutes === null || endedAt === null || continuedAt !== null) return null
  return new Date(endedAt.getTime() + autoMinutes * minuteMs)
}

/**
 * Whether all devices of the trial have the values, and none raised an alarm. One that was deleted meanwhile has shown
 * nothing: who sees it alone would have the others begin by deleting what failed.
 */
export const isClean = (
  { devices }: Pick<Trial, 'devices'>,
  { succeeded }: TrialFigures,
  alarmed: readonly unknown[],
) => succeeded === devices && alarmed.length === 0

/** Where the trial is, for readers. */
export function trialStateOf(
  state: ParameterBatchState,
  { endedAt, continuedAt }: Pick<Trial, 'endedAt' | 'continuedAt'>,
): BatchTrialState {
  if (continuedAt !== null) return 'continued'
  if (state === 'paused') return 'waiting'
  return state === 'running' && endedAt === null ? 'running' : 'ended'
}
