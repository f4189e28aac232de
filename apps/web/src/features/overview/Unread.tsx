import { texts } from '../../lib/texts/index.ts'
import styles from './overview.module.css'

/** Replaces a section's rows after a failed read; the rest of the page stays. */
export function Unread({ onRetry }: { onRetry: () => void }) {
  return (
    <p className={styles.none}>
      {texts.list.failed}{' '}
      <button type="button" className="link-button" onClick={onRetry}>
        {texts.list.retry}
      </button>
    </p>
  )
}
