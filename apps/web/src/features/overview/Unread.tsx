import { texts } from '../../lib/texts/index.ts'
import styles from './overview.module.css'

/** In place of a section's rows that could not be read, while the rest of the page stands. */
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
