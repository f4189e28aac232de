import type {
  UpgradeCounts,
  UpgradePreview,
  UpgradeStageRow,
  UpgradeTaskRow,
} from '@voltkeep/contract/upgrades'
import { formatCount, formatShare } from '../../lib/format.ts'
import { upgradeTexts } from './upgrades.texts.ts'

const { plan } = upgradeTexts

/** The word for a state; 状态未知 for a state that this console does not know. */
export function wordOf(words: Readonly<Record<string, string>>, state: string): string {
  return Object.hasOwn(words, state) ? (words[state] ?? upgradeTexts.unknown) : upgradeTexts.unknown
}

/** The packages of a task: `仓控 2.1、主控 1.4`. */
export function goalOf({ packages }: Pick<UpgradeTaskRow, 'packages'>): string {
  return packages.map(({ partTypeName, version }) => upgradeTexts.task.goal(partTypeName, version)).join('、')
}

/** Targets grouped as the progress bar shows them; the sum of all groups is `counts.total`. */
export function sharesOf(counts: UpgradeCounts) {
  return {
    good: counts.succeeded,
    failed: counts.failed + counts.refused + counts.timedOut,
    underWay: counts.sent + counts.downloading + counts.installing,
    open: counts.waiting,
    leftOut: counts.skipped + counts.cancelled,
  }
}

/** The number of targets without a result. */
export const openCount = (counts: UpgradeCounts) =>
  counts.waiting + counts.sent + counts.downloading + counts.installing

/**
 * The plan in one line: `将分 3 批升级 1,284 台：5% → 25% → 全部，每批观察 30 分钟`. The last stage has no soak time: no stage
 * follows it.
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

/** In whole percent, at least 1%. */
function shareOf(part: number, whole: number): string {
  return `${Math.max(1, Math.round((part / whole) * 100))}%`
}

/** The figures that the failure threshold uses: `已开始 64，失败 2（3.1%）；超过 20% 且样本不少于 5 时暂停`. */
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
