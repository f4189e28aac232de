import type { DataFor } from '@voltkeep/contract/endpoint'
import type { listUpgradeTransitions } from '@voltkeep/contract/upgrades'
import { RelativeTime } from '../../../ui/time/RelativeTime.tsx'
import { wordOf } from '../../../ui/work/StateTag.tsx'
import { upgradeTexts } from '../upgrades.texts.ts'
import styles from './view.module.css'

type Transition = DataFor<typeof listUpgradeTransitions>[number]

/** A history of transitions, the newest first. */
export function Timeline({ rows }: { rows: readonly Transition[] }) {
  return (
    <ol className={styles.timeline}>
      {rows.map((row) => (
        <li key={row.id}>
          <span className={styles.quiet}>
            <RelativeTime time={row.time} />
          </span>
          <span>
            {row.stage !== null && row.targetId === null && (
              <span className={styles.quiet}>{upgradeTexts.rule.stage(row.stage)} </span>
            )}
            <strong>{wordOf(wordsOf(row), row.to)}</strong>
            {row.cause && <span className={styles.cause}>{row.cause}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}

/** Tasks, stages and targets have different words for their states. */
function wordsOf({ stage, targetId }: Transition): Readonly<Record<string, string>> {
  if (targetId !== null) return upgradeTexts.targetStates
  return stage === null ? upgradeTexts.taskStates : upgradeTexts.stageStates
}
