import { texts } from '../../lib/texts/index.ts'
import styles from './choices.module.css'

/** The query of a reference list, as far as its control needs it. */
export interface ChoicesQuery {
  data: unknown
  isFetching: boolean
  refetch: () => unknown
}

/**
 * For a control's `notFoundContent`: a list that failed to load is not empty. Undefined where it was read, which leaves
 * the control's own text.
 */
export function unread(query: ChoicesQuery) {
  return query.data === undefined ? <Unread query={query} /> : undefined
}

/** In place of choices that are loading, or failed to load. */
export function Unread({ query: { isFetching, refetch } }: { query: ChoicesQuery }) {
  if (isFetching) return <span className={styles.unread}>{texts.list.loading}</span>
  return (
    <span className={styles.unread} role="alert">
      {texts.list.choicesFailed}
      <button type="button" className="link-button" onClick={() => void refetch()}>
        {texts.list.retry}
      </button>
    </span>
  )
}
