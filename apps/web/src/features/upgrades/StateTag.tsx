import type { UpgradeStageRow, UpgradeTaskRow } from '@voltkeep/contract/upgrades'
import { outcomeOf } from '../../lib/outcome.ts'
import styles from './upgrades.module.css'
import { upgradeTexts } from './upgrades.texts.ts'
import { sharesOf, wordOf } from './upgrades.words.ts'

/** A task's state in words, with a mark of its own shape; one that is over has the mark of what came of it. */
export function TaskState({ task: { state, counts } }: { task: Pick<UpgradeTaskRow, 'state' | 'counts'> }) {
  const word = wordOf(upgradeTexts.taskStates, state)
  return <Tag state={state === 'finished' ? outcomeOf(sharesOf(counts)) : state} word={word} />
}

/** A stage that has passed may have failures, fewer than stop a rollout: its mark tells of them. */
export function StageState({
  stage: { state, counts },
}: {
  stage: Pick<UpgradeStageRow, 'state' | 'counts'>
}) {
  const word = wordOf(upgradeTexts.stageStates, state)
  return <Tag state={state === 'passed' ? outcomeOf(sharesOf(counts)) : state} word={word} />
}

export function TargetState({ state }: { state: string }) {
  return <Tag state={state} word={wordOf(upgradeTexts.targetStates, state)} />
}

function Tag({ state, word }: { state: string; word: string }) {
  return (
    <span className={styles.state} data-state={state}>
      {word}
    </span>
  )
}
