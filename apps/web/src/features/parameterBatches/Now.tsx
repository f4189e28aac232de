import type { ParameterBatchDetail } from '@voltkeep/contract/parameterBatches'
import { formatCount } from '../../lib/format.ts'
import styles from './parameterBatches.module.css'
import { batchTexts } from './parameterBatches.texts.ts'
import { openCount } from './parameterBatches.words.ts'

const { batch: words } = batchTexts

/** What the batch is doing now. */
export function Now({ batch }: { batch: ParameterBatchDetail }) {
  return (
    <>
      {!batch.isWhole && <p className={styles.note}>{words.partly}</p>}
      <p className={styles.now}>{nowOf(batch)}</p>
    </>
  )
}

function nowOf({ state, counts, finishTime }: ParameterBatchDetail): string {
  const open = formatCount(openCount(counts))
  switch (state) {
    case 'running':
      return words.runningNow(open)
    case 'stopping':
      return words.stoppingNow(open)
    case 'stopped':
      return words.stoppedNow(finishTime ?? '')
    case 'finished':
      return words.finishedNow(finishTime ?? '')
  }
}
