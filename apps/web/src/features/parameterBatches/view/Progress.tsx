import type { ParameterBatchDetail } from '@voltkeep/contract/parameterBatches'
import { formatCount } from '../../../lib/format.ts'
import { ShareBar } from '../../../ui/work/ShareBar.tsx'
import { StateTag } from '../../../ui/work/StateTag.tsx'
import { WatchPart } from '../../../ui/work/WatchPage.tsx'
import styles from '../parameterBatches.module.css'
import { batchTexts } from '../parameterBatches.texts.ts'
import { sharesOf, statesInSight } from '../parameterBatches.words.ts'

const { batch: words, deviceStates } = batchTexts

/** Progress of a batch: a bar, and the number of devices in each state. */
export function Progress({ batch: { counts } }: { batch: ParameterBatchDetail }) {
  return (
    <WatchPart
      title={words.progress}
      aside={<span className={styles.quiet}>{batchTexts.deviceCount(formatCount(counts.total))}</span>}
    >
      <ShareBar shares={sharesOf(counts)} isLarge />
      <p className={styles.counts}>
        {statesInSight(counts).map((state) => (
          <StateTag key={state} state={state}>
            {deviceStates[state]} {formatCount(counts[state])}
          </StateTag>
        ))}
      </p>
    </WatchPart>
  )
}
