import type { BatchLogRow } from '@voltkeep/contract/parameterBatches'
import { namedReason } from '@voltkeep/contract/parameterBatchWords'
import { RelativeTime } from '../../../ui/time/RelativeTime.tsx'
import styles from '../parameterBatches.module.css'
import { batchTexts } from '../parameterBatches.texts.ts'
import { AttemptState } from '../StateTag.tsx'

const { batch: words, fields } = batchTexts

/** All attempts at one device, the newest first. `rows` is undefined while they are read. */
export function Attempts({ rows }: { rows: readonly BatchLogRow[] | undefined }) {
  if (rows?.length === 0) return <p className={styles.quiet}>{words.logEmpty}</p>
  return (
    <ol className={styles.attempts}>
      {(rows ?? []).map((row) => (
        <li key={row.id}>
          <span className={styles.attemptHead}>
            <strong>{words.nth(row.attempt)}</strong>
            <AttemptState of={row} />
            <span className={styles.attemptTime}>
              <RelativeTime time={row.createTime} />
            </span>
          </span>
          {row.reason && <span className={styles.attemptReason}>{namedReason(row.reason)}</span>}
          <span className={styles.attemptTimes}>
            {row.sendTime && <span>{`${fields.sendTime} ${row.sendTime}`}</span>}
            {row.answerTime && <span>{`${fields.answerTime} ${row.answerTime}`}</span>}
            {row.endTime && <span>{`${fields.attemptEnd} ${row.endTime}`}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}
