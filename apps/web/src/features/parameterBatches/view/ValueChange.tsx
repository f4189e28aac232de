import type { BatchDeviceRow } from '@voltkeep/contract/parameterBatches'
import { ParameterValue } from '../../../ui/cabinet/ParameterValue.tsx'
import styles from '../parameterBatches.module.css'

/** One parameter of one device: former and intended value. */
export function ValueChange({ of: { id, former, value } }: { of: BatchDeviceRow['values'][number] }) {
  return (
    <span className={styles.change}>
      <ParameterValue id={id} value={former} isCompact />
      <span aria-hidden="true">→</span>
      <ParameterValue id={id} value={value} isCompact />
    </span>
  )
}
