import type { ReactNode } from 'react'
import styles from './ReasonList.module.css'

export interface Reason {
  key: string
  /** The state of these devices. */
  state: ReactNode
  reason: string
  /** How many, in words. */
  count: string
  /** Filters the list by this reason. */
  onShow: () => void
}

/**
 * Why some of many failed or were left out, the most frequent first. Without reasons it has the height of one: the
 * first failure moves nothing.
 */
export function ReasonList({ reasons, none }: { reasons: readonly Reason[]; none: string }) {
  return (
    <>
      {reasons.length === 0 && <p className={styles.none}>{none}</p>}
      <ul className={styles.reasons}>
        {reasons.map(({ key, state, reason, count, onShow }) => (
          <li key={key}>
            <button type="button" className={styles.reason} onClick={onShow}>
              {state}
              <span className={styles.text}>{reason}</span>
              <span className={styles.count}>{count}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
