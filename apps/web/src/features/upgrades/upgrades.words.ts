// How the figures of an upgrade task are put into words.
import { formatDateTime } from '@voltkeep/contract/fields'
import type {
  UpgradeCounts,
  UpgradePreview,
  UpgradeStageRow,
  UpgradeTargetState,
  UpgradeTaskDetail,
  UpgradeTaskRow,
} from '@voltkeep/contract/upgrades'
import { formatCount, formatShare, readWireTime } from '../../lib/format.ts'
import { openIn, sharesBy } from '../../ui/work/shares.ts'
import { upgradeTexts } from './upgrades.texts.ts'

const { plan } = upgradeTexts

/** The packages of a task: `仓控 2.1、主控 1.4`; of a rollback what it takes back: `回退 · 主控 1.4 → 原版本`. */
export function goalOf({ packages, rolledBack }: Pick<UpgradeTaskRow, 'packages' | 'rolledBack'>): string {
  if (rolledBack !== null) return upgradeTexts.task.takesBack(rolledBack)
  return packages.map(({ partTypeName, version }) => upgradeTexts.task.goal(partTypeName, version)).join('、')
}

export const sharesOf = sharesBy<UpgradeTargetState>({
  waiting: 'open',
  sent: 'underWay',
  downloading: 'underWay',
  installing: 'underWay',
  succeeded: 'good',
  failed: 'failed',
  refused: 'failed',
  timedOut: 'failed',
  skipped: 'leftOut',
  cancelled: 'leftOut',
})

export const openCount = (counts: UpgradeCounts) => openIn(sharesOf(counts))

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

/** What the task is doing now, where it has not paused by itself. */
export function nowOf(
  task: Pick<
    UpgradeTaskDetail,
    'state' | 'upgradeTime' | 'finishTime' | 'counts' | 'stages' | 'stage' | 'stageCount'
  >,
): string {
  if (task.state === 'paused') return upgradeTexts.taskStates.paused
  if (task.state === 'planned') return upgradeTexts.task.begins(task.upgradeTime)
  if (task.state !== 'running' && openCount(task.counts) > 0)
    return upgradeTexts.task.closing(formatCount(openCount(task.counts)))
  if (task.state !== 'running') return upgradeTexts.ended(task.finishTime ?? '')
  const soaking = task.stages.find(({ state }) => state === 'soaking')
  if (soaking?.soakEndTime) return upgradeTexts.task.soaking(soaking.stage, soaking.soakEndTime)
  return upgradeTexts.task.running(task.stage ?? 1, task.stageCount)
}

type Staged = Pick<UpgradeTaskDetail, 'state' | 'stages'>
const minuteMs = 60_000

/** `04:45`, with its day where that is another one. */
function momentOf(atMs: number, now: Date): string {
  const time = formatDateTime(new Date(atMs)).slice(0, -3)
  return time.slice(0, 10) === formatDateTime(now).slice(0, 10) ? time.slice(11) : time.slice(5)
}

/** When a stage begins at the earliest: the soaks before it, as if all else took no time. Null where none is known. */
export function earliestStart({ state, stages }: Staged, of: number, now: Date): string | null {
  if (state !== 'running' || stages.find(({ stage }) => stage === of)?.state !== 'pending') return null
  let atMs = now.getTime()
  for (const { stage, state: shown, soakMinutes, soakEndTime } of stages) {
    if (stage >= of) break
    if (shown === 'passed') continue
    const until = shown === 'soaking' && soakEndTime ? readWireTime(soakEndTime)?.getTime() : undefined
    atMs = Math.max(atMs, until ?? atMs + soakMinutes * minuteMs)
  }
  return momentOf(atMs, now)
}

/** When a running stage has gone through its targets at the pace so far. Null before the first result. */
export function executedBy(
  { state }: Pick<Staged, 'state'>,
  { state: shown, counts, startTime }: Pick<UpgradeStageRow, 'state' | 'counts' | 'startTime'>,
  now: Date,
): string | null {
  const begun = startTime === null ? undefined : readWireTime(startTime)
  const left = openCount(counts)
  const done = counts.total - left
  if (state !== 'running' || shown !== 'running' || !begun || done === 0 || left === 0) return null
  const elapsedMs = Math.max(0, now.getTime() - begun.getTime())
  return momentOf(now.getTime() + (elapsedMs / done) * left, now)
}
