import { formatCount } from '../../lib/format.ts'
import { ShareBar } from './ShareBar.tsx'
import type { Shares } from './shares.ts'
import styles from './WorkProgress.module.css'

export interface WorkProgressProps {
  shares: Shares
  total: number
  words: {
    done: (done: string, total: string) => string
    failed: (count: string) => string
    /** In place of the bar, where the work has no devices yet. */
    nobody?: string
  }
}

/** The progress of a work: the bar, and in words how many devices succeeded and how many failed. */
export function WorkProgress({ shares, total, words }: WorkProgressProps) {
  if (total === 0 && words.nobody !== undefined) return <span className={styles.nobody}>{words.nobody}</span>
  return (
    <span className={styles.progress}>
      <ShareBar shares={shares} />
      <span className={styles.numbers}>
        <span>{words.done(formatCount(shares.good), formatCount(total))}</span>
        {shares.failed > 0 && (
          <span className={styles.failed}>{words.failed(formatCount(shares.failed))}</span>
        )}
      </span>
    </span>
  )
}
