import { useQuery } from '@tanstack/react-query'
import { listAlarmShelves, shelfKindNames } from '@voltkeep/contract/alarmShelves'
import type { AlarmRow } from '@voltkeep/contract/alarms'
import { reading } from '../../../lib/wire/reading.ts'
import { DetailSection } from '../../../ui/detail/DetailPanel.tsx'
import styles from '../handle/handle.module.css'
import { shelfTexts } from './shelves.texts.ts'

/** What keeps an alarm quiet: who, why, and until when. */
export function ShelfRecord({ alarm: { id, shelvedUntil } }: { alarm: AlarmRow }) {
  const shelves = useQuery({
    ...reading(listAlarmShelves, { alarmId: id, states: ['active'], pageNum: 1, pageSize: 10 }),
    retry: false,
    meta: { isQuiet: true },
  })
  return (
    <DetailSection
      title={shelfTexts.title}
      aside={shelvedUntil === null ? shelfTexts.withoutEnd : shelfTexts.untilTime(shelvedUntil)}
    >
      <ol className={styles.actions}>
        {shelves.data?.rows.map((shelf) => (
          <li key={shelf.id} className={styles.action}>
            <span className={styles.moment}>{shelf.createTime}</span>
            <span>
              {shelf.createBy} {shelfKindNames[shelf.kind]}
            </span>
            <span className={styles.note}>{shelf.reason}</span>
          </li>
        ))}
      </ol>
    </DetailSection>
  )
}
