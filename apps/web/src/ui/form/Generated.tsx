import type { ReactNode } from 'react'
import styles from './Generated.module.css'

/** What the form itself writes, aligned with its fields. */
export function Generated({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={styles.row}>
      <span className={styles.label}>{label}</span>
      {children}
    </div>
  )
}
