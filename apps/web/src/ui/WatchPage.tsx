// The frame of pages that watch one piece of work: a task, a batch.
import { Button, Skeleton } from 'antd'
import type { ReactNode, Ref } from 'react'
import { texts } from '../lib/texts/index.ts'
import type { CallError } from '../lib/wire/call.ts'
import { EmptyState } from './EmptyState.tsx'
import { PageLink } from './PageLink.tsx'
import styles from './WatchPage.module.css'

interface Way {
  /** The component key of the list that it belongs to, and its title. */
  page: string
  back: string
}

export interface WatchPageProps extends Way {
  title: ReactNode
  /** Names the page for screen readers. */
  label: string
  /** Beside the title: its state. */
  tags?: ReactNode
  /** Buttons at the right; on a phone below the title. */
  actions?: ReactNode
  /** The error of the last reading; the data read before stay visible. */
  error: CallError | null
  onRetry: () => void
  children: ReactNode
}

/** A page of one running work at an address of its own: its head, and parts below each other. */
export function WatchPage({ title, label, tags, actions, error, onRetry, children, ...way }: WatchPageProps) {
  return (
    <section className={styles.page} aria-label={label}>
      <header className={styles.head}>
        <Back {...way} />
        <h1 className={styles.title}>{title}</h1>
        {tags}
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {error && (
        <p className={styles.failure} role="alert">
          {texts.list.failedSince(error.message)}{' '}
          <button type="button" className="link-button" onClick={onRetry}>
            {texts.list.retry}
          </button>
        </p>
      )}
      {children}
    </section>
  )
}

/** Shown instead while the work is loading, failed to load or does not exist. */
export function UnreadWatchPage({
  notFound,
  query: { error, refetch },
  ...way
}: Way & { notFound: string; query: { error: CallError | null; refetch: () => unknown } }) {
  const isMissing = error?.code === 404
  return (
    <section className={styles.page} aria-label={way.back}>
      <header className={styles.head}>
        <Back {...way} />
        <h1 className="visually-hidden">{way.back}</h1>
      </header>
      {error ? (
        <EmptyState
          title={isMissing ? notFound : texts.list.failed}
          hint={isMissing ? undefined : error.message}
          action={!isMissing && <Button onClick={() => void refetch()}>{texts.list.retry}</Button>}
        />
      ) : (
        <div className={styles.part}>
          <Skeleton active />
        </div>
      )}
    </section>
  )
}

/** A titled part of the page. */
export function WatchPart({
  ref,
  title,
  aside,
  children,
}: {
  ref?: Ref<HTMLElement>
  title: string
  /** Beside the title. */
  aside?: ReactNode
  children: ReactNode
}) {
  return (
    <section ref={ref} className={styles.part} aria-label={title}>
      <h2 className={styles.partTitle}>
        {title}
        {aside}
      </h2>
      {children}
    </section>
  )
}

function Back({ page, back }: Way) {
  return (
    <PageLink page={page} className={styles.back}>
      ‹ {back}
    </PageLink>
  )
}
