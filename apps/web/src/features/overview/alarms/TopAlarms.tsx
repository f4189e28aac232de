import type { Overview } from '@voltkeep/contract/overview'
import { formatCount } from '../../../lib/format.ts'
import { LevelTag } from '../../../ui/marks/LevelTag.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { alarmPage } from '../overview.links.ts'
import styles from '../overview.module.css'
import { overviewTexts as words } from '../overview.texts.ts'
import { Section } from '../Section.tsx'

const leastForBars = 10

/** The alarms that most devices have. */
export function TopAlarms({ alarms }: { alarms: Overview['topAlarms'] }) {
  const most = alarms[0]?.count ?? 0
  // Bars for one to three devices add nothing to the numbers.
  const hasBars = most >= leastForBars
  return (
    <Section title={words.top}>
      {alarms.length === 0 && <p className={styles.none}>{words.noAlarms}</p>}
      <ol className={styles.rows}>
        {alarms.map((alarm) => (
          <li key={alarm.semaphoreCode}>
            <PageLink
              page={alarmPage}
              search={{ semaphoreCode: alarm.semaphoreCode }}
              className={hasBars ? styles.topAlarm : `${styles.topAlarm} ${styles.plain}`}
            >
              <LevelTag level={alarm.alarmLevel} />
              <span className={styles.name} title={alarm.semaphoreName}>
                {alarm.semaphoreName}
              </span>
              <span className={`mono ${styles.code}`}>{alarm.semaphoreCode}</span>
              {hasBars && (
                <span className={styles.share} data-level={alarm.alarmLevel ?? 0} aria-hidden="true">
                  <span style={{ width: `${(alarm.count / most) * 100}%` }} />
                </span>
              )}
              <strong className={styles.number}>{formatCount(alarm.count)}</strong>
            </PageLink>
          </li>
        ))}
      </ol>
    </Section>
  )
}
