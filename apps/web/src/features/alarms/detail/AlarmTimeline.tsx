// The timeline in an alarm's panel.
import { useQuery } from '@tanstack/react-query'
import type { AlarmRow } from '@voltkeep/contract/alarms'
import { readAlarmTimeline, type TimelineRow } from '@voltkeep/contract/alarmTimeline'
import { reading } from '../../../lib/wire/reading.ts'
import { DetailSection } from '../../../ui/detail/DetailPanel.tsx'
import { LevelTag } from '../../../ui/marks/LevelTag.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { usePermission } from '../../../ui/Permitted.tsx'
import { StateTag } from '../alarms.columns.tsx'
import styles from '../alarms.module.css'
import own from './detail.module.css'
import { detailTexts } from './detail.texts.ts'

/** What else happened on the device around the alarm: its alarms and, for a user who may read them, its events. */
export function AlarmTimeline({
  alarm,
  onOpen,
}: {
  alarm: AlarmRow
  onOpen: (alarm: { id: string; occurrenceTime: string }) => void
}) {
  const isPermitted = usePermission('alarm:history')
  const { id, occurrenceTime } = alarm
  const timeline = useQuery({
    ...reading(readAlarmTimeline, { id, occurrenceTime }),
    enabled: isPermitted,
    meta: { isQuiet: true },
  })
  if (!isPermitted) return null
  const rows = timeline.data?.rows ?? []
  return (
    <DetailSection title={detailTexts.timeline} aside={detailTexts.timelineHint}>
      {timeline.isError && <p className={styles.hint}>{timeline.error.message}</p>}
      {timeline.isSuccess && rows.every((row) => row.id === id) && (
        <p className={styles.hint}>{detailTexts.timelineNone}</p>
      )}
      <ol className={own.timeline}>
        {rows.map((row) => (
          <li key={`${row.kind} ${row.id}`} aria-current={row.id === id || undefined}>
            <Happened
              row={row}
              day={occurrenceTime.slice(0, 10)}
              isThis={row.kind === 'alarm' && row.id === id}
              onOpen={onOpen}
            />
          </li>
        ))}
      </ol>
    </DetailSection>
  )
}

function Happened({
  row,
  day,
  isThis,
  onOpen,
}: {
  row: TimelineRow
  /** The day of the alarm: rows of this day show no date. */
  day: string
  isThis: boolean
  onOpen: (alarm: { id: string; occurrenceTime: string }) => void
}) {
  const what = (
    <>
      <time className={styles.moment} title={row.occurrenceTime}>
        {row.occurrenceTime.slice(0, 10) === day
          ? row.occurrenceTime.slice(11)
          : row.occurrenceTime.slice(5, 16)}
      </time>
      <span className={own.what}>
        {row.kind === 'alarm' ? <LevelTag level={row.alarmLevel} isSign /> : <EventSign />}
        <span className={styles.name}>
          {row.semaphoreName}
          {row.meaning && <span className={styles.meaning}> · {row.meaning}</span>}
        </span>
      </span>
      <span className={own.aside}>
        {isThis && detailTexts.timelineThis}
        {!isThis && row.status !== null && <StateTag status={row.status} />}
        {row.kind === 'event' && detailTexts.event}
      </span>
    </>
  )
  if (isThis) return <span className={own.pastRow}>{what}</span>
  if (row.kind === 'alarm')
    return (
      <button type="button" className={own.pastRow} onClick={() => onOpen(row)}>
        {what}
      </button>
    )
  return (
    <PageLink
      page="maintenance/eventsearch"
      search={{ open: row.id, at: row.occurrenceTime }}
      className={own.pastRow}
    >
      {what}
    </PageLink>
  )
}

/** Takes the place of the level's sign, since an event has no level. */
const EventSign = () => <span className={own.eventSign} aria-hidden="true" />
