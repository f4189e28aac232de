import type { ReactNode } from 'react'
import styles from './RowActions.module.css'

/** The small buttons of a row, or of a detail's head: their words stand where a text would. */
export function RowActions({ children }: { children: ReactNode }) {
  return <span className={styles.actions}>{children}</span>
}
