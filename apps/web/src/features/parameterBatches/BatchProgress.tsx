import type { BatchCounts } from '@voltkeep/contract/parameterBatches'
import { formatCount } from '../../lib/format.ts'
import { ShareBar } from '../../ui/ShareBar.tsx'
import styles from './parameterBatches.module.css'
import { batchTexts } from './parameterBatches.texts.ts'
import { failedCount, sharesOf } from './parameterBatches.words.ts'

/** Progress of a batch: the bar, and in words how many devices succeeded and how many failed. */
export function BatchProgress({ counts }: { counts: BatchCounts }) {
  const failed = failedCount(counts)
  return (
    <span className={styles.progress}>
      <ShareBar shares={sharesOf(counts)} />
      <span className={styles.numbers}>
        <span>{batchTexts.succeeded(formatCount(counts.succeeded), formatCount(counts.total))}</span>
        {failed > 0 && <span className={styles.failed}>{batchTexts.failedCount(formatCount(failed))}</span>}
      </span>
    </span>
  )
}
