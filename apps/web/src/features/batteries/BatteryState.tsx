import { type BatteryRow, batteryStateNames, type BatteryState as State } from '@voltkeep/contract/batteries'
import { StateTag } from '../../ui/work/StateTag.tsx'
import styles from './batteries.module.css'
import { batteryTexts } from './batteries.texts.ts'

/** The mark of each state, as states of work have them; the others have a hollow one. */
const marks: Partial<Record<State, string>> = {
  charging: 'running',
  full: 'done',
  fault: 'failed',
  disabled: 'over',
  away: 'over',
}

/** The state of a battery, and whether two places claim it. */
export function BatteryState({
  of: { state, isConflict },
}: {
  of: Pick<BatteryRow, 'state' | 'isConflict'>
}) {
  return (
    <span className={styles.states}>
      <StateTag state={marks[state] ?? 'waiting'}>{batteryStateNames[state]}</StateTag>
      {isConflict && <ConflictTag />}
    </span>
  )
}

export const ConflictTag = () => <StateTag state="paused">{batteryTexts.conflict}</StateTag>

/** A percentage with its bar. */
export function Charge({ value }: { value: number | null }) {
  if (value === null) return <span className={styles.quiet}>—</span>
  const rounded = Math.round(value)
  return (
    <span className={styles.charge}>
      <span className={styles.chargeBar} aria-hidden="true">
        <span style={{ inlineSize: `${rounded}%` }} />
      </span>
      {batteryTexts.percent(rounded)}
    </span>
  )
}
