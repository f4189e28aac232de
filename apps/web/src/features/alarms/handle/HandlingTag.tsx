import { type AlarmRow, handlingNames } from '@voltkeep/contract/alarms'
import styles from './handle.module.css'

/** How far people are with an alarm, and who has it. */
export function HandlingTag({
  alarm: { handling, assigneeName },
}: {
  alarm: Pick<AlarmRow, 'handling' | 'assigneeName'>
}) {
  return (
    <span className={styles.tag} data-handling={handling}>
      {handlingNames[handling]}
      {handling === 'inProgress' && assigneeName && <span className={styles.who}> {assigneeName}</span>}
    </span>
  )
}
