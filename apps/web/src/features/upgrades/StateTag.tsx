import styles from './upgrades.module.css'
import { upgradeTexts } from './upgrades.texts.ts'
import { wordOf } from './upgrades.words.ts'

/** A task's state in words, with a mark of its own shape. */
export function TaskState({ state }: { state: string }) {
  return <Tag state={state} word={wordOf(upgradeTexts.taskStates, state)} />
}

export function StageState({ state }: { state: string }) {
  return <Tag state={state} word={wordOf(upgradeTexts.stageStates, state)} />
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
