// The section of an alarm's panel that says how often its trouble has occurred.
import { useQuery } from '@tanstack/react-query'
import { listAlarmHistory } from '@voltkeep/contract/alarmHistory'
import type { AlarmRow } from '@voltkeep/contract/alarms'
import { formatCount } from '../../../lib/format.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { DetailSection, Facts } from '../../../ui/detail/DetailPanel.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { usePermission } from '../../../ui/Permitted.tsx'
import { useNow } from '../../../ui/time/RelativeTime.tsx'
import { durationOf } from '../alarms.columns.tsx'
import styles from '../alarms.module.css'
import { alarmTexts } from '../alarms.texts.ts'
import own from '../detail/detail.module.css'
import marks from './repeats.module.css'
import { repeatTexts } from './repeats.texts.ts'

const shownAtMost = 10

/** How often, since when, and the latest of its occurrences: each is an alarm of the history. */
export function RepeatRecord({
  alarm,
  onOpen,
}: {
  alarm: AlarmRow
  onOpen: (alarm: { id: string; occurrenceTime: string }) => void
}) {
  const { repeatCount, repeatFirstTime, repeatLastTime, chatter, semaphoreCode } = alarm
  const mayReadHistory = usePermission('alarm:history')
  const now = useNow()
  const range = { startTime: repeatFirstTime ?? undefined, endTime: repeatLastTime ?? undefined }
  const members = useQuery({
    ...reading(listAlarmHistory, {
      equipId: alarm.equipId,
      semaphoreCode: [semaphoreCode],
      ...range,
      pageSize: shownAtMost,
    }),
    enabled: mayReadHistory,
    meta: { isQuiet: true },
  })
  // In between, the device may have reported other bits of the same alarm.
  const rows = (members.data?.rows ?? []).filter((row) => row.repeatFirstTime === repeatFirstTime)
  const left = repeatCount - rows.length
  return (
    <DetailSection
      title={chatter ? `${repeatTexts.title} · ${repeatTexts.chatter}` : repeatTexts.title}
      aside={
        mayReadHistory ? (
          <PageLink
            page="maintenance/exitWarning"
            search={{ tab: 'history', code: alarm.code, semaphoreName: semaphoreCode, ...range }}
          >
            {repeatTexts.all}
          </PageLink>
        ) : undefined
      }
    >
      <Facts
        facts={[
          [
            repeatTexts.count,
            [repeatTexts.total(formatCount(repeatCount)), chatter && repeatTexts.chatterOf[chatter]]
              .filter(Boolean)
              .join('，'),
          ],
          [repeatTexts.first, repeatFirstTime],
          [repeatTexts.last, repeatLastTime],
        ]}
      />
      <p className={`${styles.hint} ${marks.advice}`}>{chatter ? repeatTexts.advice : repeatTexts.hint}</p>
      <div className={own.past}>
        {rows.map((row) => (
          <button
            key={row.id}
            type="button"
            className={own.pastRow}
            aria-current={row.id === alarm.id || undefined}
            onClick={() => onOpen(row)}
          >
            <span className={styles.moment}>{row.occurrenceTime}</span>
            <span>
              {durationOf(row, now)} · {row.recoveryMethodName ?? alarmTexts.states.active}
            </span>
          </button>
        ))}
      </div>
      {members.isSuccess && left > 0 && <p className={styles.hint}>{repeatTexts.more(formatCount(left))}</p>}
    </DetailSection>
  )
}
