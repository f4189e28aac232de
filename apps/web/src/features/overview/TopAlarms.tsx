import type { Overview } from '@voltkeep/contract/overview'
import { formatCount } from '../../lib/format.ts'
import { LevelTag } from '../../ui/LevelTag.tsx'
import { PageLink } from '../../ui/PageLink.tsx'
import { alarmPage } from './overview.links.ts'
import styles from './overview.module.css'
import { overviewTexts as words } from './overview.texts.ts'
import { Section } from './Section.tsx'

/** What most devices complain of. */
export function TopAlarms({ alarms }: { alarms: Overview['topAlarms'] }) {
  const most = alarms[0]?.count ?? 0
  return (
    <Section title={words.top}>
      {alarms.length === 0 && <p className={styles.none}>{words.noAlarms}</p>}
      <ol className={styles.rows}>
        {alarms.map((alarm) => (
          <li key={alarm.semaphoreCode}>
            <PageLink
              page={alarmPage}
              search={{ semaphoreCode: alarm.semaphoreCode }}
              className={styles.topAlarm}
            >
              <LevelTag level={alarm.alarmLevel} />
              <span className={styles.name} title={alarm.semaphoreName}>
                {alarm.semaphoreName}
              </span>
              <span className={`mono ${styles.code}`}>{alarm.semaphoreCode}</span>
              <span className={styles.share} data-level={alarm.alarmLevel ?? 0} aria-hidden="true">
                <span style={{ width: `${(alarm.count / most) * 100}%` }} />
              </span>
              <strong className={styles.number}>{formatCount(alarm.count)}</strong>
            </PageLink>
          </li>
        ))}
      </ol>
    </Section>
  )
}
