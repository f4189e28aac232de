import type {
  AttemptResult,
  BatchDeviceState,
  ParameterBatchState,
} from '@voltkeep/contract/parameterBatches'
import styles from './parameterBatches.module.css'
import { batchTexts } from './parameterBatches.texts.ts'

/** A batch's state in words, with a mark of its own shape. */
export function BatchState({ state }: { state: ParameterBatchState }) {
  return <Tag state={state} word={batchTexts.batchStates[state]} />
}

export function DeviceState({ state }: { state: BatchDeviceState }) {
  return <Tag state={state} word={batchTexts.deviceStates[state]} />
}

export function AttemptState({ result }: { result: AttemptResult }) {
  return <Tag state={result} word={batchTexts.attemptResults[result]} />
}

function Tag({ state, word }: { state: string; word: string }) {
  return (
    <span className={styles.state} data-state={state}>
      {word}
    </span>
  )
}
