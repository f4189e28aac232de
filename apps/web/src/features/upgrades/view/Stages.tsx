import { describeGate } from '@voltkeep/contract/upgradeGate'
import type { UpgradeStageRow, UpgradeTargetState, UpgradeTaskDetail } from '@voltkeep/contract/upgrades'
import { upgradeTargetStates } from '@voltkeep/contract/upgrades'
import { serverNow } from '../../../lib/clock.ts'
import { formatCount } from '../../../lib/format.ts'
import { ShareBar } from '../../../ui/work/ShareBar.tsx'
import { WatchPart } from '../../../ui/work/WatchPage.tsx'
import { StageState } from '../StateTag.tsx'
import { upgradeTexts } from '../upgrades.texts.ts'
import { earliestStart, executedBy, failureLine, sharesOf } from '../upgrades.words.ts'
import styles from './view.module.css'

const { task: words, rule } = upgradeTexts

/** A bar per stage with its targets by state, and the figures that decide whether the task goes on. */
export function Stages({ task }: { task: UpgradeTaskDetail }) {
  if (task.stages.length === 0) return null
  return (
    <WatchPart
      title={words.stages}
      aside={task.packages.length > 1 && <span className={styles.quiet}>{words.byParts}</span>}
    >
      <ol className={styles.stages}>
        {task.stages.map((stage) => (
          <Stage key={stage.stage} of={stage} task={task} />
        ))}
      </ol>
    </WatchPart>
  )
}

function Stage({ of: stage, task }: { of: UpgradeStageRow; task: UpgradeTaskDetail }) {
  const { failures, gate } = stage
  return (
    <li className={styles.stage}>
      <div className={styles.stageHead}>
        <strong>{rule.stage(stage.stage)}</strong>
        <span className={styles.quiet}>{words.devices(formatCount(stage.devices))}</span>
        <StageState stage={stage} />
        <span className={styles.stageAside}>{whenOf(stage, task)}</span>
      </div>
      <ShareBar shares={sharesOf(stage.counts)} isLarge />
      <p className={styles.counts}>
        {upgradeTargetStates
          .filter((state) => stage.counts[state] > 0)
          .map((state: UpgradeTargetState) => (
            <span key={state} data-state={state}>
              {upgradeTexts.targetStates[state]} {formatCount(stage.counts[state])}
            </span>
          ))}
      </p>
      {/* The figures that stopped it stand above, as the reason of the pause. */}
      {stage.state !== 'pending' && stage.stage !== task.pause?.stage && (
        <p className={styles.figures}>
          {failures.begun > 0 && <span>{failureLine(failures)}</span>}
          <span data-passes={gate?.passes}>
            {stage.isGateWaived
              ? words.gateWaived
              : task.upgradeRule.skipGate
                ? words.gateOff
                : gate
                  ? describeGate(gate)
                  : words.gateUnseen}
          </span>
        </p>
      )}
    </li>
  )
}

/** Until when it is watched, when it began and will be executed, or when it begins at the earliest. */
function whenOf(stage: UpgradeStageRow, task: UpgradeTaskDetail): string {
  const { state, soakMinutes, soakEndTime, endTime } = stage
  if (endTime) return words.endedAt(endTime)
  if (state === 'soaking' && soakEndTime) return words.soakUntil(soakEndTime)
  const now = serverNow()
  const soak = soakMinutes === 0 ? '' : words.soakFor(soakMinutes)
  const executed = executedBy(task, stage, now)
  const begins = earliestStart(task, stage.stage, now)
  if (executed) return [words.expected(executed), soak].filter(Boolean).join('，')
  return [begins && words.earliest(begins), soak].filter(Boolean).join('，')
}
