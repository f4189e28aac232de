import type { EventRow } from '@voltkeep/contract/events'
import styles from './events.module.css'

/** An event's value with its unit, where it has one: 16 %, and as one word 4号仓. */
export const EventValue = ({ of: { value, unit } }: { of: Pick<EventRow, 'value' | 'unit'> }) => (
  <span>
    <span className={unit?.startsWith('号') ? undefined : 'mono'}>{value}</span>
    {unit && <span className={unit.startsWith('号') ? undefined : styles.unit}>{unit}</span>}
  </span>
)
