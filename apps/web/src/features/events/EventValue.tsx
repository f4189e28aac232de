import type { EventRow } from '@voltkeep/contract/events'
import styles from './events.module.css'

/** An event's value with its unit, where it has one. */
export const EventValue = ({ of: { value, unit } }: { of: Pick<EventRow, 'value' | 'unit'> }) => (
  <span>
    <span className="mono">{value}</span>
    {unit && <span className={styles.unit}>{unit}</span>}
  </span>
)
