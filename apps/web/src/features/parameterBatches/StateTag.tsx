import type { BatchDeviceState, BatchLogRow, ParameterBatchRow } from '@voltkeep/contract/parameterBatches'
import { StateTag, WorkState } from '../../ui/work/StateTag.tsx'
import styles from './parameterBatches.module.css'
import { batchTexts } from './parameterBatches.texts.ts'
import { sharesOf } from './parameterBatches.words.ts'

const { batchStates, deviceStates, attemptResults } = batchTexts

export function BatchState({
  batch: { state, counts },
}: {
  batch: Pick<ParameterBatchRow, 'state' | 'counts'>
}) {
  return <WorkState state={state} words={batchStates} ended={state === 'finished' && sharesOf(counts)} />
}

export function DeviceState({ state }: { state: BatchDeviceState }) {
  return <WorkState state={state} words={deviceStates} />
}

/** A device that goes first, on trial. */
export function First() {
  return <span className={styles.first}>{batchTexts.fields.isTrial}</span>
}

/** The result of an attempt; an attempt in progress says whether the device has received it. */
export function AttemptState({ of: { result, sendTime } }: { of: Pick<BatchLogRow, 'result' | 'sendTime'> }) {
  if (result === 'underWay' && sendTime === null)
    return <StateTag state="waiting">{batchTexts.unsent}</StateTag>
  return <WorkState state={result} words={attemptResults} />
}
