// The frame of pages that watch one piece of work: a task, a batch.
import { Link, useLocation } from '@tanstack/react-router'
import { Button, Skeleton } from 'antd'
import { Fragment, type ReactNode, type Ref } from 'react'
import { texts } from '../../lib/texts/index.ts'
import type { CallError } from '../../lib/wire/call.ts'
import { StepButtons, type Steps, useStepKeys } from '../detail/steps.tsx'
import { useOpenRow } from '../detail/useOpenRow.ts'
import { useListBehind } from '../detail/useWalk.ts'
import { EmptyState } from '../EmptyState.tsx'
import { PageLink } from '../PageLink.tsx'
import { RelativeTime } from '../time/RelativeTime.tsx'
import styles from './WatchPage.module.css'

interface Way {
  /** The component key of the list that it belongs to, and its title. */
  page: string
  back: string
}

/** What the page shows of the thing, once that is read. */
export interface Watched {
  title: ReactNode
  /** Names the page for screen readers. */
  label: string
  /** Beside the title: its state. */
  tags?: ReactNode
  /** Buttons at the right; on a phone below the title. */
  actions?: ReactNode
  /** The parts, below each other. */
  parts: ReactNode
  /** Below the head: e.g. where it stands. */
  lead?: ReactNode
}

export interface WatchPageProps<Value> extends Way {
  /** Which thing it is: another one begins anew. */
  of: string
  /** The things before and after it in its list. */
  steps: Steps
  query: { data: Value | undefined; error: CallError | null; refetch: () => unknown }
  notFound: string
  /** The row that is open in the address is the thing itself: the keys stay with it. */
  isOpenRow?: boolean
  show: (value: Value) => Watched
}

/** One running thing at an address of its own, watched by people: its head, and parts below each other. */
export function WatchPage<Value>({
  of,
  steps,
  query: { data, error, refetch },
  notFound,
  isOpenRow = false,
  show,
  ...way
}: WatchPageProps<Value>) {
  // A row of its own that is open beside it has the keys.
  const isRowOpen = useOpenRow().id !== undefined
  useStepKeys(isRowOpen && !isOpenRow ? undefined : steps)
  const watched = data === undefined ? undefined : show(data)
  return (
    <section className={styles.page} data-watched={of} aria-label={watched?.label ?? way.back}>
      <header className={styles.head}>
        <Back {...way} />
        <h1 className={watched ? styles.title : 'visually-hidden'}>{watched?.title ?? way.back}</h1>
        {watched?.tags}
        <div key={of} className={styles.actions}>
          {watched?.actions}
        </div>
        <div className={styles.steps}>
          <StepButtons steps={steps} />
        </div>
      </header>
      <Fragment key={of}>
        {watched?.lead}
        {watched && error && (
          <p className={styles.failure} role="alert">
            {texts.list.failedSince(error.message)}{' '}
            <button type="button" className="link-button" onClick={() => void refetch()}>
              {texts.list.retry}
            </button>
          </p>
        )}
        {watched?.parts ?? <Unread notFound={notFound} error={error} onRetry={() => void refetch()} />}
      </Fragment>
    </section>
  )
}

/** In place of the parts while they are read, or where that failed or the thing is not there. */
function Unread({
  notFound,
  error,
  onRetry,
}: {
  notFound: string
  error: CallError | null
  onRetry: () => void
}) {
  if (!error) {
    return (
      <div className={styles.part}>
        <Skeleton active />
      </div>
    )
  }
  const isMissing = error.code === 404
  return (
    <EmptyState
      title={isMissing ? notFound : texts.list.failed}
      hint={isMissing ? undefined : error.message}
      action={!isMissing && <Button onClick={onRetry}>{texts.list.retry}</Button>}
    />
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

/** A line across the page that its reader has to know. */
export function WatchNote({ role, children }: { role?: 'status'; children: ReactNode }) {
  return (
    <p className={styles.note} role={role}>
      {children}
    </p>
  )
}

/** Where the work has stopped and somebody has to decide: why, with its figures. `past`: decided. */
export function WatchHalt({
  title,
  time,
  look,
  children,
}: {
  title: string
  /** Since when. */
  time: string | null
  look: 'waits' | 'trouble' | 'past'
  children: ReactNode
}) {
  return (
    <div className={styles.halt} data-look={look} role="status">
      <p className={styles.haltTitle}>
        {title}
        {time !== null && (
          <span className={styles.haltTime}>
            <RelativeTime time={time} />
          </span>
        )}
      </p>
      {children}
    </div>
  )
}

/** What the work is doing now. */
export function WatchNow({ children }: { children: ReactNode }) {
  return <p className={styles.now}>{children}</p>
}

function Back({ page, back }: Way) {
  const list = useListBehind()
  const from = useLocation({ select: ({ state }) => state.from })
  if (from) {
    return (
      <Link to={from.path} search={list as never} className={styles.back}>
        ‹ {from.title}
      </Link>
    )
  }
  return (
    <PageLink page={page} search={list} className={styles.back}>
      ‹ {back}
    </PageLink>
  )
}
