import type { UpgradeStageRow, UpgradeTaskRow } from '@voltkeep/contract/upgrades'
import { WorkState } from '../../ui/work/StateTag.tsx'
import { upgradeTexts } from './upgrades.texts.ts'
import { sharesOf } from './upgrades.words.ts'

const { taskStates, stageStates, targetStates } = upgradeTexts

export function TaskState({ task: { state, counts } }: { task: Pick<UpgradeTaskRow, 'state' | 'counts'> }) {
  return <WorkState state={state} words={taskStates} ended={state === 'finished' && sharesOf(counts)} />
}

/** A passed stage may have fewer failures than stop a rollout: its mark shows them. */
export function StageState({
  stage: { state, counts },
}: {
  stage: Pick<UpgradeStageRow, 'state' | 'counts'>
}) {
  return <WorkState state={state} words={stageStates} ended={state === 'passed' && sharesOf(counts)} />
}

export function TargetState({ state }: { state: string }) {
  return <WorkState state={state} words={targetStates} />
}
