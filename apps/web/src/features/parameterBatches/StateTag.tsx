import type { BatchDeviceState, BatchLogRow, ParameterBatchRow } from '@voltkeep/contract/parameterBatches'
import { outcomeOf } from '../../lib/outcome.ts'
import styles from './parameterBatches.module.css'
import { batchTexts } from './parameterBatches.texts.ts'
import { sharesOf } from './parameterBatches.words.ts'

/** A batch's state: its word, and a mark with a shape of its own. A batch that has ended has the mark of its result. */
export function BatchState({
  batch: { state, counts },
}: {
  batch: Pick<ParameterBatchRow, 'state' | 'counts'>
}) {
  const mark = state === 'finished' ? outcomeOf(sharesOf(counts)) : state
  return <Tag state={mark} word={batchTexts.batchStates[state]} />
}

export function DeviceState({ state }: { state: BatchDeviceState }) {
  return <Tag state={state} word={batchTexts.deviceStates[state]} />
}

/** The result of an attempt; an attempt in progress says whether the device has received it. */
export function AttemptState({ of: { result, sendTime } }: { of: Pick<BatchLogRow, 'result' | 'sendTime'> }) {
  const isUnsent = result === 'underWay' && sendTime === null
  return (
    <Tag
      state={isUnsent ? 'waiting' : result}
      word={isUnsent ? batchTexts.unsent : batchTexts.attemptResults[result]}
    />
  )
}

function Tag({ state, word }: { state: string; word: string }) {
  return (
    <span className={styles.state} data-state={state}>
      {word}
    </span>
  )
}
