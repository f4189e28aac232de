import type { BatchDeviceRow } from '@voltkeep/contract/parameterBatches'
import { ParameterValue } from '../../ui/cabinet/ParameterValue.tsx'
import styles from './parameterBatches.module.css'

type DeviceValue = BatchDeviceRow['values'][number]

/** One parameter of one device: what it was, and what it is to be. */
export function ValueChange({ of: { id, name, former, value } }: { of: DeviceValue }) {
  return (
    <span className={styles.change}>
      <span className={styles.quiet}>{name}</span>
      <ParameterValue id={id} value={former} isCompact />
      <span aria-hidden="true">→</span>
      <ParameterValue id={id} value={value} isCompact />
    </span>
  )
}

/** All of them in a row of a table. */
export function ValueChanges({ values }: { values: readonly DeviceValue[] }) {
  return (
    <span className={styles.changesLine}>
      {values.map((value) => (
        <ValueChange key={value.id} of={value} />
      ))}
    </span>
  )
}
