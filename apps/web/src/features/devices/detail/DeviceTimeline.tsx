// Everything that happened to a device, newest first and by day, updated live; filtered by kind, entered at any day.
import { useInfiniteQuery } from '@tanstack/react-query'
import { liveDevices } from '@voltkeep/contract/devices'
import {
  exportDeviceTimeline,
  readDeviceTimeline,
  type TimelineEntry,
  type TimelineKind,
} from '@voltkeep/contract/deviceTimeline'
import { isTimelineTrouble, timelineKindNames, timelineWords } from '@voltkeep/contract/deviceTimelineWords'
import type { DataFor } from '@voltkeep/contract/endpoint'
import { shownChange } from '@voltkeep/contract/operationChanges'
import { Button } from 'antd'
import { useState } from 'react'
import * as z from 'zod/mini'
import { serverNow } from '../../../lib/clock.ts'
import { formatDay } from '../../../lib/format.ts'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { texts } from '../../../lib/texts/index.ts'
import { useUrlState } from '../../../lib/urlState.ts'
import { call } from '../../../lib/wire/call.ts'
import { keyOf } from '../../../lib/wire/reading.ts'
import { DetailSection } from '../../../ui/detail/DetailPanel.tsx'
import { ExportButton } from '../../../ui/list/ExportButton.tsx'
import { LevelTag } from '../../../ui/marks/LevelTag.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { NativeMoment } from '../../../ui/time/NativeMoment.tsx'
import { deviceTexts } from '../devices.texts.ts'
import styles from './DeviceTimeline.module.css'
import { daysOf, weekdayOf } from './timeline.days.ts'

const words = deviceTexts.timeline
const atOnce = 20

/** The day that is jumped to: its entries first, older ones below. */
const DaySearch = z.object({ day: z.optional(z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))) })

export function DeviceTimeline({ id }: { id: string }) {
  const [kind, setKind] = useState<TimelineKind>()
  const [{ day }, setDay] = useUrlState(DaySearch)
  const latest = day === undefined ? {} : { endTime: day }
  const query = useInfiniteQuery({
    queryKey: [...keyOf(readDeviceTimeline), id, kind ?? '', day ?? ''],
    queryFn: ({ pageParam, signal }) =>
      call(
        readDeviceTimeline,
        {
          id,
          limit: atOnce,
          ...latest,
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
    <DetailSection
      title={words.title}
      aside={
        <span className={styles.tools}>
          <span className={styles.day}>
            <NativeMoment
              label={words.day}
              placeholder={words.day}
              value={day ?? ''}
              max={formatDay(serverNow())}
              onChange={(value) => setDay({ day: value || undefined }, { replace: true })}
            />
          </span>
          {day !== undefined && (
            <button type="button" className="link-button" onClick={() => setDay({}, { replace: true })}>
              {words.today}
            </button>
          )}
          <ExportButton
            endpoint={exportDeviceTimeline}
            filters={{ id, ...(kind && { kinds: [kind] }), ...latest }}
            label={words.file}
          />
        </span>
      }
    >
      <fieldset className={styles.kinds} aria-label={words.kinds}>
        {[undefined, ...kinds].map((each) => (
          <button
            key={each ?? 'all'}
            type="button"
            className={styles.kind}
            aria-pressed={each === kind}
            onClick={() => setKind(each)}
          >
            {each ? timelineKindNames[each] : texts.list.all}
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
      <div className={styles.entries} aria-busy={query.isPlaceholderData}>
        {daysOf(entries).map(({ day: date, entries: of }) => (
          <section key={date} className={styles.ofDay} aria-label={date}>
            <h4 className={styles.date}>
              {date} <span className={styles.quiet}>{weekdayOf(date)}</span>
            </h4>
            <ol aria-label={words.title}>
              {of.map((entry) => (
                <Entry key={`${entry.kind}/${entry.id}`} entry={entry} />
              ))}
            </ol>
          </section>
        ))}
      </div>
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
  const { title, state } = timelineWords(entry)
  const value = entry.kind === 'event' || entry.kind === 'upgrade' ? entry.value : null
  const line = (
    <>
      {entry.level !== null && <LevelTag level={entry.level} />}
      <span className={styles.title}>{title}</span>
      {value !== null && <span className="mono">{value}</span>}
      {state && (
        <span className={styles.state} data-trouble={isTimelineTrouble(entry) || undefined}>
          {state}
        </span>
      )}
    </>
  )
  const notes = [entry.detail, entry.by, entry.endTime && words.recoveredAt(entry.endTime)].filter(Boolean)
  return (
    <li className={styles.entry} data-kind={entry.kind} data-state={entry.state ?? undefined}>
      <time className={styles.time} dateTime={entry.time.replace(' ', 'T')} title={entry.time}>
        {entry.time.slice('YYYY-MM-DD '.length)}
      </time>
      <span className={styles.kindName}>{timelineKindNames[entry.kind]}</span>
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
        {entry.changes && <Changes of={entry.changes} />}
      </div>
    </li>
  )
}

/** What a person changed, field by field. */
function Changes({ of: { before, after } }: { of: NonNullable<TimelineEntry['changes']> }) {
  const changes = shownChange(before, after)
  if (changes.length === 0) return null
  return (
    <dl className={styles.changes}>
      {changes.map(({ field, label, before: was, after: is }) => (
        <div key={field}>
          <dt>{label}</dt>
          <dd>
            {was !== null && <del>{was}</del>}
            {was !== null && is !== null && ' → '}
            {is !== null && <ins>{is}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
