import styles from './ShareBar.module.css'
import type { Shares } from './shares.ts'

export interface ShareBarProps {
  /** `open` is the bare background. */
  shares: Shares
  isLarge?: boolean
}

/** The progress of many as a bar of shares. The text beside it has the same in words. */
export function ShareBar({ shares: { open, ...shares }, isLarge = false }: ShareBarProps) {
  return (
    <span className={styles.bar} data-large={isLarge || undefined} aria-hidden="true">
      {Object.entries(shares)
        .filter(([, count]) => count > 0)
        .map(([kind, count]) => (
          <span key={kind} className={styles.share} data-kind={kind} style={{ flexGrow: count }} />
        ))}
      {open > 0 && <span style={{ flexGrow: open }} />}
    </span>
  )
}
