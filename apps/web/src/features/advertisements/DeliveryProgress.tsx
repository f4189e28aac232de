import type { DeliveryCounts } from '@voltkeep/contract/advertisements'
import { formatCount } from '../../lib/format.ts'
import { ShareBar } from '../../ui/ShareBar.tsx'
import styles from './advertisements.module.css'
import { advertisementTexts } from './advertisements.texts.ts'

/** Delivery to the cabinets: a bar of shares, and in words how many are ready and how many failed. */
export function DeliveryProgress({ counts }: { counts: DeliveryCounts }) {
  if (counts.total === 0) return <span className={styles.quiet}>{advertisementTexts.noCabinets}</span>
  const ready = counts.stored + counts.shown
  const failed = counts.failed + counts.refused
  const shares = {
    good: ready,
    failed,
    underWay: counts.sent + counts.removing,
    leftOut: counts.removed + counts.ended,
    open: counts.waiting,
  }
  return (
    <span className={styles.progress}>
      <ShareBar shares={shares} />
      <span className={styles.numbers}>
        <span>{advertisementTexts.ready(formatCount(ready), formatCount(counts.total))}</span>
        {failed > 0 && (
          <span className={styles.failed}>{advertisementTexts.failedCount(formatCount(failed))}</span>
        )}
      </span>
    </span>
  )
}
