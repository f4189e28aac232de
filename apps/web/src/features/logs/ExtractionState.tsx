import type { LogExtractionRow } from '@voltkeep/contract/logExtraction'
import styles from './logs.module.css'
import { logTexts } from './logs.texts.ts'

/** The state's word in its colour. */
export function ExtractionState({ row: { state } }: { row: Pick<LogExtractionRow, 'state'> }) {
  return (
    <span className={styles.state} data-state={state}>
      {logTexts.states[state]}
    </span>
  )
}
