import { useQuery } from '@tanstack/react-query'
import { handlingKindNames, readAlarmHandling } from '@voltkeep/contract/alarmHandling'
import { type AlarmHandling, type AlarmRow, handlingNames, liveAlarms } from '@voltkeep/contract/alarms'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { DetailSection } from '../../../ui/detail/DetailPanel.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { HandlingTag } from './HandlingTag.tsx'
import styles from './handle.module.css'
import { handleTexts } from './handle.texts.ts'
import { recordTexts } from './record.texts.ts'

/** What people did about an alarm, oldest first. */
export function HandlingRecord({ alarm }: { alarm: AlarmRow }) {
  const { id, handlingVersion } = alarm
  const record = useQuery({
    ...reading(readAlarmHandling, { id }),
    enabled: handlingVersion > 0,
    retry: false,
    meta: { isQuiet: true },
  })
  useLiveReading(record.refetch, (event) => handlingVersion > 0 && concerns(event, liveAlarms.noun, id))
  return (
    <DetailSection title={handleTexts.record} aside={<HandlingTag alarm={alarm} />}>
      <ol className={styles.actions}>
        {record.data?.map(({ time, userName, kind, note, after }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: actions are added at the end, and none moves
          <li key={at} className={styles.action}>
            <span className={styles.moment}>{time}</span>
            <span>
              {kind === 'carry' ? recordTexts.carried : `${userName} ${handlingKindNames[kind]}`}
              {kind === 'assign' && after.assigneeName && ` ${handleTexts.to(after.assigneeName)}`}
              {kind === 'close' && after.causeName && `：${after.causeName}`}
            </span>
            {kind !== 'note' && (
              <span className={styles.moment}>{handlingNames[after.handling as AlarmHandling]}</span>
            )}
            {note && <span className={styles.note}>{note}</span>}
          </li>
        ))}
      </ol>
      {alarm.alarmLevel === 1 && (
        <PageLink
          page="maintenance/report"
          search={{ record: id, occurrenceTime: alarm.occurrenceTime }}
          className="tap"
        >
          {recordTexts.print}
        </PageLink>
      )}
    </DetailSection>
  )
}
