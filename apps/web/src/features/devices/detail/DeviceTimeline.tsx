// Everything that happened to a device, newest first, updated live; can be filtered by kind.
import { useInfiniteQuery } from '@tanstack/react-query'
import { liveDevices } from '@voltkeep/contract/devices'
import { readDeviceTimeline, type TimelineEntry, type TimelineKind } from '@voltkeep/contract/deviceTimeline'
import type { DataFor } from '@voltkeep/contract/endpoint'
import { Button } from 'antd'
import { useState } from 'react'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { texts } from '../../../lib/texts/index.ts'
import { call } from '../../../lib/wire/call.ts'
import { keyOf } from '../../../lib/wire/reading.ts'
import { DetailSection } from '../../../ui/detail/DetailPanel.tsx'
import { LevelTag } from '../../../ui/marks/LevelTag.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { RelativeTime } from '../../../ui/time/RelativeTime.tsx'
import { deviceTexts } from '../devices.texts.ts'
import styles from './DeviceTimeline.module.css'
import { isTrouble, kindNames, wordsOf } from './device.timeline.words.ts'

const words = deviceTexts.timeline
const atOnce = 20

export function DeviceTimeline({ id }: { id: string }) {
  const [kind, setKind] = useState<TimelineKind>()
  const query = useInfiniteQuery({
    queryKey: [...keyOf(readDeviceTimeline), id, kind ?? ''],
    queryFn: ({ pageParam, signal }) =>
      call(
        readDeviceTimeline,
        {
          id,
          limit: atOnce,
          ...(kind && { kinds: [kind] }),
          ...(pageParam !== undefined && { before: pageParam }),
        },
        { signal },
      ) as Promise<DataFor<typeof readDeviceTimeline>>,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: (before) => before,
    retry: false,
    meta: { isQuiet: true },
  })
  useLiveReading(
    () => query.refetch(),
    (event) => concerns(event, liveDevices.noun, id),
  )
  const kinds = query.data?.pages[0]?.kinds ?? []
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <DetailSection title={words.title}>
      <fieldset className={styles.kinds} aria-label={words.kinds}>
        {[undefined, ...kinds].map((each) => (
          <button
            key={each ?? 'all'}
            type="button"
            className={styles.kind}
            aria-pressed={each === kind}
            onClick={() => setKind(each)}
          >
            {each ? kindNames[each] : texts.list.all}
          </button>
        ))}
      </fieldset>
      {query.isError && (
        <p className={styles.quiet}>
          {query.error.message}{' '}
          <Button size="small" onClick={() => void query.refetch()}>
            {texts.list.retry}
          </Button>
        </p>
      )}
      {query.isSuccess && entries.length === 0 && <p className={styles.quiet}>{words.nothing}</p>}
      <ol className={styles.entries} aria-busy={query.isPlaceholderData} aria-label={words.title}>
        {entries.map((entry) => (
          <Entry key={`${entry.kind}/${entry.id}`} entry={entry} />
        ))}
      </ol>
      {query.hasNextPage && (
        <Button
          className={styles.more ?? ''}
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {words.older}
        </Button>
      )}
    </DetailSection>
  )
}

function Entry({ entry }: { entry: TimelineEntry }) {
  const { title, state } = wordsOf(entry)
  const value = entry.kind === 'event' || entry.kind === 'upgrade' ? entry.value : null
  const line = (
    <>
      {entry.level !== null && <LevelTag level={entry.level} />}
      <span className={styles.title}>{title}</span>
      {value !== null && <span className="mono">{value}</span>}
      {state && (
        <span className={styles.state} data-trouble={isTrouble(entry) || undefined}>
          {state}
        </span>
      )}
    </>
  )
  const notes = [entry.detail, entry.by, entry.endTime && words.recoveredAt(entry.endTime)].filter(Boolean)
  return (
    <li className={styles.entry} data-kind={entry.kind} data-state={entry.state ?? undefined}>
      <span className={styles.kindName}>{kindNames[entry.kind]}</span>
      <div className={styles.what}>
        {entry.kind === 'alarm' ? (
          <PageLink
            page="maintenance/exitWarning"
            search={{ tab: 'history', open: entry.id, at: entry.time }}
            className={styles.line}
          >
            {line}
          </PageLink>
        ) : (
          <span className={styles.line}>{line}</span>
        )}
        {notes.length > 0 && <span className={styles.notes}>{notes.join(' · ')}</span>}
      </div>
      <span className={styles.time}>
        <RelativeTime time={entry.time} isShort />
      </span>
    </li>
  )
}
