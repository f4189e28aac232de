import { texts } from '../lib/texts/index.ts'
import styles from './Waiting.module.css'

/** In place of a part whose code or whose first answer has not come: lines of a text. */
export function Waiting({
  lines = 4,
  isPage = false,
  isPanel = false,
}: {
  lines?: number
  isPage?: boolean
  isPanel?: boolean
}) {
  return (
    <div
      className={styles.waiting}
      data-page={isPage || undefined}
      data-panel={isPanel || undefined}
      role="status"
      aria-label={texts.list.loading}
    >
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity
        <span key={at} style={{ width: `${64 - ((at * 17) % 40)}%` }} />
      ))}
    </div>
  )
}
