import type { UpgradeStageRow, UpgradeTaskRow } from '@voltkeep/contract/upgrades'
import { outcomeOf } from '../../lib/outcome.ts'
import { StateTag } from '../../ui/StateTag.tsx'
import { upgradeTexts } from './upgrades.texts.ts'
import { sharesOf, wordOf } from './upgrades.words.ts'

/** A task's state: its word, and a mark with a shape of its own. A task that has ended has the mark of its result. */
export function TaskState({ task: { state, counts } }: { task: Pick<UpgradeTaskRow, 'state' | 'counts'> }) {
  const word = wordOf(upgradeTexts.taskStates, state)
  return <StateTag state={state === 'finished' ? outcomeOf(sharesOf(counts)) : state}>{word}</StateTag>
}

/** A passed stage may have fewer failures than stop a rollout: its mark shows them. */
export function StageState({
  stage: { state, counts },
}: {
  stage: Pick<UpgradeStageRow, 'state' | 'counts'>
}) {
  const word = wordOf(upgradeTexts.stageStates, state)
  return <StateTag state={state === 'passed' ? outcomeOf(sharesOf(counts)) : state}>{word}</StateTag>
}

export function TargetState({ state }: { state: string }) {
  return <StateTag state={state}>{wordOf(upgradeTexts.targetStates, state)}</StateTag>
}
