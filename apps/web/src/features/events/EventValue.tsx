import type { EventRow } from '@voltkeep/contract/events'
import styles from './events.module.css'
import { eventTexts } from './events.texts.ts'

/** An event's value with its unit, where it has one. */
export function EventValue({ of: { value, unit } }: { of: Pick<EventRow, 'value' | 'unit'> }) {
  const word = unit !== null && eventTexts.oneWord(String(value), unit)
  if (word) return <span>{word}</span>
  return (
    <span>
      <span className="mono">{value}</span>
      {unit && <span className={styles.unit}>{unit}</span>}
    </span>
  )
}
