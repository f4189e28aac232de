// The newest alarms on the home page. New ones wait behind a bar, so that rows do not move under the pointer.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type AlarmRow, listAlarms, liveAlarms } from '@voltkeep/contract/alarms'
import { useMemo } from 'react'
import { useMedia } from '../../../lib/browser/media.ts'
import { formatCount } from '../../../lib/format.ts'
import { shortRegion } from '../../../lib/regions.ts'
import { useCurrentUser } from '../../../lib/session.ts'
import { reading } from '../../../lib/wire/reading.ts'
import type { List } from '../../../ui/list/useList.ts'
import { type LiveListOptions, useLiveList } from '../../../ui/list/useLiveList.ts'
import { LevelTag } from '../../../ui/marks/LevelTag.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { RelativeTime } from '../../../ui/time/RelativeTime.tsx'
import { alarmPage, widestQuery } from '../overview.links.ts'
import styles from '../overview.module.css'
import { overviewTexts } from '../overview.texts.ts'
import { Section } from '../Section.tsx'
import { Unread } from '../Unread.tsx'

const words = overviewTexts
const shownCount = 10
const shownWidest = 20
const options: LiveListOptions<AlarmRow> = {
  // An alarm that recovers stays in the list, marked as recovered, until newer ones are requested.
  anyState: { status: 'all' },
  isChanged: (before, after) => before.value !== after.value || before.status !== after.status,
}

export function NewestAlarms() {
  const mayRead = useCurrentUser().functionCodes.includes(listAlarms.access)
  return mayRead ? <Newest /> : null
}

function Newest() {
  const list = useNewest()
  const live = useLiveList(list, liveAlarms, options)
  const waiting = live.waitingCount > 0 || live.isStale
  return (
    <Section
      title={words.newest}
      beside={
        waiting && (
          <button type="button" className={styles.bar} onClick={live.show} aria-live="polite">
            <span aria-hidden="true">↑</span>{' '}
            {live.waitingCount > 0
              ? words.waiting(`${formatCount(live.waitingCount)}${live.isOver ? '+' : ''}`)
              : words.stale}
          </button>
        )
      }
      aside={<PageLink page={alarmPage}>{words.all}</PageLink>}
    >
      {list.error && live.rows.length === 0 && <Unread onRetry={list.retry} />}
      {!list.isFirst && !list.error && live.rows.length === 0 && (
        <p className={styles.none}>{words.noAlarms}</p>
      )}
      <ul className={styles.rows} data-first={list.isFirst || undefined}>
        {live.rows.map((alarm) => (
          <li key={alarm.id} className={live.changedKeys.has(alarm.id) ? styles.changed : undefined}>
            <PageLink
              page={alarmPage}
              search={{ open: alarm.id, at: alarm.occurrenceTime }}
              className={styles.alarm}
            >
              <LevelTag level={alarm.alarmLevel} />
              <span className={styles.name} title={`${whatOf(alarm)} ${alarm.semaphoreCode}`}>
                {whatOf(alarm)}
                {alarm.status === 0 && <span className={styles.quiet}> {words.recovered}</span>}
              </span>
              <span className={`mono ${styles.code}`}>{alarm.code}</span>
              <span className={styles.where} title={`${alarm.regionName} · ${alarm.operatorName}`}>
                {shortRegion(alarm.regionName)}
              </span>
              <span className={styles.when}>
                <RelativeTime time={alarm.occurrenceTime} isShort />
              </span>
            </PageLink>
          </li>
        ))}
      </ul>
    </Section>
  )
}

const whatOf = ({ semaphoreName, meaning }: AlarmRow) =>
  meaning ? `${semaphoreName} · ${meaning}` : semaphoreName

/** The first page of active alarms in the form of a list, without filters or state in the address. */
function useNewest(): List<typeof listAlarms.input, AlarmRow> {
  const pageSize = useMedia(widestQuery) ? shownWidest : shownCount
  const filters = useMemo(() => ({ pageNum: 1, pageSize, status: '1' as const }), [pageSize])
  const query = useQuery({
    ...reading(listAlarms, filters),
    placeholderData: keepPreviousData,
    meta: { isQuiet: 'first' },
  })
  const { data, refetch } = query
  const rows = useMemo(() => (data?.rows ?? []) as readonly AlarmRow[], [data])
  return {
    schema: listAlarms.input,
    rows,
    total: data?.total ?? 0,
    pageNum: 1,
    pageSize,
    filters,
    cleared: {},
    filterCount: 0,
    isFirst: query.isPending,
    isStale: query.isPlaceholderData,
    isFetching: query.isFetching,
    readAtMs: query.dataUpdatedAt,
    error: query.error,
    apply: () => undefined,
    reset: () => undefined,
    turn: () => undefined,
    retry: () => void refetch(),
  }
}
