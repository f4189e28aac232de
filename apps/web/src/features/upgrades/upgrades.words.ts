import type {
  UpgradeCounts,
  UpgradePreview,
  UpgradeStageRow,
  UpgradeTaskRow,
} from '@voltkeep/contract/upgrades'
import { formatCount, formatShare } from '../../lib/format.ts'
import { upgradeTexts } from './upgrades.texts.ts'

const { plan } = upgradeTexts

/** A state by its word; one that this console does not know is 状态未知. */
export function wordOf(words: Readonly<Record<string, string>>, state: string): string {
  return Object.hasOwn(words, state) ? (words[state] ?? upgradeTexts.unknown) : upgradeTexts.unknown
}

/** What a task brings: `仓控 2.1、主控 1.4`. */
export function goalOf({ packages }: Pick<UpgradeTaskRow, 'packages'>): string {
  return packages.map(({ partTypeName, version }) => upgradeTexts.task.goal(partTypeName, version)).join('、')
}

/** Targets by what they mean to somebody who watches; the sum of all is `counts.total`. */
export function sharesOf(counts: UpgradeCounts) {
  return {
    good: counts.succeeded,
    failed: counts.failed + counts.refused + counts.timedOut,
    underWay: counts.sent + counts.downloading + counts.installing,
    open: counts.waiting,
    leftOut: counts.skipped + counts.cancelled,
  }
}

/** Targets that have no result yet. */
export const openCount = (counts: UpgradeCounts) =>
  counts.waiting + counts.sent + counts.downloading + counts.installing

/**
 * What will happen, in one line: `将分 3 批升级 1,284 台：5% → 25% → 全部，每批观察 30 分钟`. The last stage has nothing
 * to be watched for.
 */
export function planLine({ devices, stages }: Pick<UpgradePreview, 'devices' | 'stages'>): string {
  if (devices === 0) return plan.nobody
  if (stages.length < 2) return plan.once(formatCount(devices))
  const shares = stages.map((stage, at) =>
    at === stages.length - 1 ? plan.rest : shareOf(stage.devices, devices),
  )
  const soaks = stages.slice(0, -1).map(({ soakMinutes }) => soakMinutes)
  const least = Math.min(...soaks)
  const most = Math.max(...soaks)
  const soak = most === 0 ? '' : plan.soak(least === most ? String(most) : `${least}–${most}`)
  return plan.staged(stages.length, formatCount(devices), shares.join(' → ')) + soak
}

/** In whole percent, but never 0% of somebody. */
function shareOf(part: number, whole: number): string {
  return `${Math.max(1, Math.round((part / whole) * 100))}%`
}

/** What the failure threshold sees: `已开始 64，失败 2（3.1%）；超过 20% 且样本不少于 5 时暂停`. */
export function failureLine({
  begun,
  failed,
  failurePercent,
  minSample,
}: UpgradeStageRow['failures']): string {
  return upgradeTexts.task.failureFigures(
    formatCount(begun),
    formatCount(failed),
    formatShare(failed, begun),
    failurePercent,
    minSample,
  )
}
