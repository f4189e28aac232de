import type { AlarmRow } from '@voltkeep/contract/alarms'
import { LevelTag } from '../../../ui/marks/LevelTag.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { deviceTexts } from '../devices.texts.ts'
import styles from './Compartments.module.css'
import type { Compartment } from './compartments.ts'

const words = deviceTexts.compartments

/** The compartments of a cabinet at their places, each with its active alarms. */
export function Compartments({
  code,
  of: compartments,
}: {
  code: string
  of: readonly (Omit<Compartment, 'alarms'> & { alarms: readonly Partial<AlarmRow>[] })[]
}) {
  return (
    <ol className={styles.compartments} aria-label={words.title}>
      {compartments.map(({ number, alarms: [worst, ...others] }) => (
        <li key={number} className={styles.compartment} data-alarm={worst && (worst.alarmLevel ?? 0)}>
          <span className={styles.number}>{words.number(number)}</span>
          {worst ? (
            <PageLink
              page="maintenance/exitWarning"
              search={{ code, open: worst.id, at: worst.occurrenceTime }}
              className={styles.alarm}
              title={[worst, ...others].map((alarm) => alarm.semaphoreName).join('、')}
            >
              <LevelTag level={worst.alarmLevel ?? null} />
              <span className={styles.name}>{worst.semaphoreName}</span>
              {others.length > 0 && <span>+{others.length}</span>}
            </PageLink>
          ) : (
            <span className={styles.quiet}>{words.calm}</span>
          )}
        </li>
      ))}
    </ol>
  )
}
