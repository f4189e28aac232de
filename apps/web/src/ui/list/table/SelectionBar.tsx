import type { ReactNode } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { texts } from '../../../lib/texts/index.ts'
import type { Selection } from '../useSelection.ts'
import styles from './Select.module.css'

const words = texts.list.selection

/** The actions on the chosen rows. The bar is in the foot, where its appearance moves nothing. */
export function SelectionBar<Row>({
  selection,
  page,
  onDone,
  children,
}: {
  selection: Selection<Row>
  /** Rows of the page, where there is no checkbox for all of them: on a phone. */
  page?: readonly Row[] | undefined
  /** Ends the choosing, where it was begun explicitly: on a phone. */
  onDone?: (() => void) | undefined
  children: ReactNode
}) {
  return (
    <div className={styles.bar} role="toolbar" aria-label={words.actions}>
      <span className={styles.count} aria-live="polite">
        {words.count(formatCount(selection.rows.length))}
      </span>
      {selection.rows.length > 0 && children}
      {page && (
        <button type="button" className="link-button" onClick={() => selection.togglePage(page)}>
          {words.page}
        </button>
      )}
      <button type="button" className="link-button" onClick={onDone ?? selection.clear}>
        {onDone ? words.end : words.clear}
      </button>
    </div>
  )
}
