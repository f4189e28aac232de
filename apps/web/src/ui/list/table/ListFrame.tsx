// The frame that list pages and tree pages share: head, error, rows that fill the height, foot.
import { Button } from 'antd'
import type { ReactNode, RefObject } from 'react'
import { texts } from '../../../lib/texts/index.ts'
import { EmptyState } from '../../EmptyState.tsx'
import styles from '../ListPage.module.css'
import { useFillHeight } from './useFillHeight.ts'
import { useScrollEdges } from './useScrollEdges.ts'

export interface ListFrameProps {
  title: string
  /** Beside the title: the number of rows, and e.g. a bar of new rows. */
  beside?: ReactNode
  /** Buttons at the right of the title. */
  actions?: ReactNode
  /** Between the title and the rows: tabs, filters. */
  children?: ReactNode
  isFetching: boolean
  /** The error of the last reading, and how to try again. */
  error: { message: string } | null
  onRetry: () => void
  /** Rows of an earlier reading are there: they stay visible under the error. */
  hasRows: boolean
  rows: ReactNode
  /** The element that scrolls. */
  scroller: RefObject<HTMLDivElement | null>
  /** The rows scroll with the page instead. */
  hasCards?: boolean
  foot?: ReactNode
}

export function ListFrame({
  title,
  beside,
  actions,
  children,
  isFetching,
  error,
  onRetry,
  hasRows,
  rows,
  scroller,
  hasCards = false,
  foot,
}: ListFrameProps) {
  useFillHeight(scroller, !hasCards)
  useScrollEdges(scroller)
  const hasFailed = error !== null && !hasRows
  return (
    <section className={styles.page} aria-label={title}>
      <header className={styles.head}>
        <div className={styles.naming}>
          <h1 className={styles.title}>{title}</h1>
          {beside}
        </div>
        <div className={styles.actions}>{actions}</div>
      </header>
      {children}
      {error && hasRows && (
        <div className={styles.failure} role="alert">
          {texts.list.failedSince(error.message)}
          <button type="button" className="link-button" onClick={onRetry}>
            {texts.list.retry}
          </button>
        </div>
      )}
      <div ref={scroller} className={styles.rows} data-cards={hasCards || undefined}>
        {isFetching && <div className={styles.bar} role="progressbar" aria-label={texts.list.loading} />}
        {hasFailed && !isFetching ? (
          <EmptyState
            title={texts.list.failed}
            hint={error.message}
            action={<Button onClick={onRetry}>{texts.list.retry}</Button>}
          />
        ) : (
          rows
        )}
      </div>
      {!hasFailed && foot && (
        <footer className={styles.foot} data-list-foot>
          {foot}
        </footer>
      )}
    </section>
  )
}

/** The keys that work here: each group of keys with its effect. */
export function KeyHints({
  hints,
}: {
  hints: readonly (readonly [keys: readonly string[], does: string])[]
}) {
  return (
    <p className={styles.keys} aria-hidden="true">
      {hints.map(([keys, does]) => (
        <span key={does}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}{' '}
          {does}
        </span>
      ))}
    </p>
  )
}
