import type { BatchDeviceState, BatchLogRow, ParameterBatchRow } from '@voltkeep/contract/parameterBatches'
import { outcomeOf } from '../../lib/outcome.ts'
import { StateTag } from '../../ui/StateTag.tsx'
import { batchTexts } from './parameterBatches.texts.ts'
import { sharesOf } from './parameterBatches.words.ts'

/** A batch's state: its word, and a mark with a shape of its own. A batch that has ended has the mark of its result. */
export function BatchState({
  batch: { state, counts },
}: {
  batch: Pick<ParameterBatchRow, 'state' | 'counts'>
}) {
  const mark = state === 'finished' ? outcomeOf(sharesOf(counts)) : state
  return <StateTag state={mark}>{batchTexts.batchStates[state]}</StateTag>
}

export function DeviceState({ state }: { state: BatchDeviceState }) {
  return <StateTag state={state}>{batchTexts.deviceStates[state]}</StateTag>
}

/** The result of an attempt; an attempt in progress says whether the device has received it. */
export function AttemptState({ of: { result, sendTime } }: { of: Pick<BatchLogRow, 'result' | 'sendTime'> }) {
  const isUnsent = result === 'underWay' && sendTime === null
  return (
    <StateTag state={isUnsent ? 'waiting' : result}>
      {isUnsent ? batchTexts.unsent : batchTexts.attemptResults[result]}
    </StateTag>
  )
}
