import type { ReactNode } from 'react'
import styles from './RowActions.module.css'

/** The small buttons of a row or of a detail's head, their labels aligned as text. */
export function RowActions({ children }: { children: ReactNode }) {
  return <span className={styles.actions}>{children}</span>
}
