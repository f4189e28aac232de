/**
 * The failure threshold of a stage. What fails, fails fast: a refusal comes within a second, a success after minutes.
 * So failures are held against all targets that have begun, as if whatever is under way were to succeed; once
 * nothing is under way, they are held against the results.
 */
import { formatDateTime, type UpgradeCounts, type UpgradeRule } from '@voltkeep/contract'
import type { FailureFigures, Pause } from './upgrades.pause.ts'

/**
 * How the failures of a stage stand against the rule. `underWay`: targets without a result that have begun; a device
 * that is offline and was never handed its command has not.
 */
export function failuresOf(
  { failurePercent, minSample }: UpgradeRule,
  counts: UpgradeCounts | undefined,
  underWay: number,
): FailureFigures {
  const failed = counts ? counts.failed + counts.refused + counts.timedOut : 0
  const executed = failed + (counts?.succeeded ?? 0)
  return { begun: executed + underWay, executed, failed, failurePercent, minSample }
}

/** More than the share allowed, of a sample that says something. */
export const isExcessive = ({ begun, failed, failurePercent, minSample }: FailureFigures) =>
  begun >= minSample && failed * 100 > failurePercent * begun

/** Not even with nothing under way: nobody need count what is. */
export const isHarmless = ({ executed, failed, failurePercent }: FailureFigures) =>
  failed * 100 <= failurePercent * executed

/** The sentence about too many failures. */
export const failureNote = ({ begun, failed, failurePercent }: FailureFigures) =>
  `已开始 ${begun} 项中 ${failed} 项未成功（${Math.round((failed / begun) * 100)}%），超过上限 ${failurePercent}%`

/** Of the stage with this number. */
export const pauseByFailures = (stage: number, failures: FailureFigures, nowMs: number): Pause => ({
  reason: 'failures',
  time: formatDateTime(new Date(nowMs)),
  note: failureNote(failures),
  by: null,
  stage,
  failures,
  gate: null,
})
