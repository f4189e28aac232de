import type { EventRow } from '@voltkeep/contract/events'
import styles from './events.module.css'

/** A unit that makes one word with its number: 4号仓. */
const isOneWord = /^号/

/** An event's value with its unit, where it has one. */
export function EventValue({ of: { value, unit } }: { of: Pick<EventRow, 'value' | 'unit'> }) {
  if (unit !== null && isOneWord.test(unit)) return <span>{`${value}${unit}`}</span>
  return (
    <span>
      <span className="mono">{value}</span>
      {unit && <span className={styles.unit}>{unit}</span>}
    </span>
  )
}
