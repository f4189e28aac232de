import type { DeliveryCounts } from '@voltkeep/contract/advertisements'
import { formatCount } from '../../lib/format.ts'
import styles from './advertisements.module.css'
import { advertisementTexts } from './advertisements.texts.ts'

/** How far the cabinets are: a bar of shares, and in words how many are ready and how many failed. */
export function DeliveryProgress({ counts }: { counts: DeliveryCounts }) {
  const ready = counts.stored + counts.shown
  const failed = counts.failed + counts.refused
  const parts = [
    { kind: 'ready', count: ready },
    { kind: 'failed', count: failed },
    { kind: 'underWay', count: counts.waiting + counts.sent + counts.removing },
    { kind: 'gone', count: counts.removed + counts.ended },
  ].filter(({ count }) => count > 0)
  return (
    <span className={styles.progress}>
      <span className={styles.bar} aria-hidden="true">
        {parts.map(({ kind, count }) => (
          <span key={kind} className={styles.part} data-kind={kind} style={{ flexGrow: count }} />
        ))}
      </span>
      <span className={styles.numbers}>
        <span>{advertisementTexts.ready(formatCount(ready), formatCount(counts.total))}</span>
        {failed > 0 && (
          <span className={styles.failed}>{advertisementTexts.failedCount(formatCount(failed))}</span>
        )}
      </span>
    </span>
  )
}
