/**
 * An alarm that nobody has acknowledged, on its way through the steps of a rule. Pure: no clock, no database; times are
 * milliseconds since 1970.
 */

/** Whom a rule tells, by id. */
export interface Targets {
  channelIds: number[]
  userIds: number[]
  roleIds: number[]
  dutyIds: number[]
}

/** What ends a step: an acknowledgement, or nothing short of closing the alarm. */
export type Unless = 'acknowledged' | 'closed'

export interface Step extends Targets {
  /** After the beginning. */
  afterMinutes: number
  unless: Unless
}

/** A rule's chain, as it was when the escalation began. */
export interface Chain {
  /** Whom the rule told at once. */
  first: Targets
  steps: Step[]
  /** Seconds between repetitions of the last step; 0: none. */
  repeatS: number
  quiet: { from: string; to: string } | null
}

export interface Run {
  beganAtMs: number
  chain: Chain
  /** Steps and repetitions that are behind it. */
  turn: number
}

/** What the alarm is to people, as `readStandings` has it; undefined: over. */
export interface Waiting {
  isActive: boolean
  isAcknowledged: boolean
  isClosed: boolean
  isShelved: boolean
}

export type EndReason = 'acknowledged' | 'closed' | 'recovered' | 'shelved' | 'stopped' | 'expired'

/** An alarm of which people were told for so long in vain is told no more. */
export const lastsMs = 7 * 86_400_000

/** Why the escalation is over; null where it goes on. */
export function endOf(
  { beganAtMs, chain }: Run,
  alarm: Waiting | undefined,
  nowMs: number,
): EndReason | null {
  if (!alarm?.isActive) return 'recovered'
  if (alarm.isClosed) return 'closed'
  if (alarm.isShelved) return 'shelved'
  const waitsForClosing = chain.steps.some(({ unless }) => unless === 'closed')
  if (alarm.isAcknowledged && !waitsForClosing) return 'acknowledged'
  return nowMs - beganAtMs >= lastsMs ? 'expired' : null
}

/** The step of a turn; the last one again for a repetition, or those who were told at once where there is no step. */
export function stepOf({ steps, first }: Chain, turn: number): Targets & { unless: Unless } {
  return steps[Math.min(turn, steps.length) - 1] ?? { ...first, unless: 'acknowledged' }
}

export const isSkipped = (chain: Chain, turn: number, { isAcknowledged }: Waiting): boolean =>
  isAcknowledged && stepOf(chain, turn).unless === 'acknowledged'

/** When the turn after this one comes; `toldAtMs`: when this one did. Null: none follows. */
export function nextAtMs({ beganAtMs, chain, turn }: Run, toldAtMs: number): number | null {
  const step = chain.steps[turn]
  if (step) return beganAtMs + step.afterMinutes * 60_000
  if (chain.repeatS === 0) return null
  return toldAtMs + chain.repeatS * 1_000
}
