/**
 * The failure threshold of a stage. Failures come fast: a refusal takes a second, a success minutes. So failures are
 * compared with all targets that have begun, as if every one under way were to succeed; once none is under way,
 * failures are compared with the results.
 */
import { formatDateTime, type UpgradeCounts, type UpgradeRule } from '@voltkeep/contract'
import type { FailureFigures, Pause } from './pause-reason.ts'
import type { GoneCounts, StageLook } from './stages.queries.ts'

export interface StageNumbers {
  counts: UpgradeCounts | undefined
  /** What went with devices that were deleted. */
  gone?: GoneCounts
  /** Targets without a result that have begun; a device that is offline and was never handed its command has not. */
  underWay: number
  /** Whether no stage comes after it. */
  isLast: boolean
}

/**
 * The failures of a stage against the rule. A stage that is smaller than the least sample is a sample when all of it
 * has begun: otherwise its failures would let the next stage begin. After the last stage there is nothing to protect.
 */
export function failuresOf(
  { failurePercent, minSample: leastSample }: UpgradeRule,
  { counts, gone = { verified: 0, failed: 0 }, underWay, isLast }: StageNumbers,
): FailureFigures {
  const failed = (counts ? counts.failed + counts.refused + counts.timedOut : 0) + gone.failed
  const executed = failed + (counts?.succeeded ?? 0) + gone.verified
  const size = (counts ? counts.total - counts.skipped - counts.cancelled : 0) + gone.failed + gone.verified
  const minSample = isLast || size === 0 ? leastSample : Math.min(leastSample, size)
  return { begun: executed + underWay, executed, failed, failurePercent, minSample }
}

/** More than the allowed share, of a sufficient sample. */
export const isExcessive = ({ begun, failed, failurePercent, minSample }: FailureFigures) =>
  begun >= minSample && failed * 100 > failurePercent * begun

/** Why a stage of which no device is verified does not let the next one begin. */
export function unverifiedNote({
  devices,
  counts,
  gone,
}: Pick<StageLook, 'devices' | 'counts' | 'gone'>): string {
  const left = [
    [counts.failed + counts.refused + counts.timedOut, '项未成功'],
    [counts.skipped, '项已跳过'],
    [counts.cancelled, '项已取消'],
    [gone.verified + gone.failed, '项的设备开始后被删除'],
  ].flatMap(([count, words]) => (count ? [`${count} ${words}`] : []))
  const why = left.length > 0 ? `（${left.join('，')}）` : '（设备已删除）'
  return `${devices} 台设备中没有一台升级成功${why}，无法判断新版本是否正常`
}

/** Of the stage with this number. */
export const pauseByUnverified = (stage: number, note: string, nowMs: number): Pause => ({
  reason: 'unverified',
  time: formatDateTime(new Date(nowMs)),
  note: `第 ${stage} 批：${note}`,
  by: null,
  stage,
  failures: null,
  gate: null,
})

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
