import type { ParameterBatchRow } from '@voltkeep/contract/parameterBatches'
import { ParameterValue } from '../../ui/cabinet/ParameterValue.tsx'
import styles from './parameterBatches.module.css'
import { batchTexts } from './parameterBatches.texts.ts'

/** The parameters of a batch with their values; a restoration has different values per device. */
export function ParameterList({ batch: { param } }: { batch: Pick<ParameterBatchRow, 'param'> }) {
  return (
    <dl className={styles.parameterList}>
      {param.map(({ id, name, value }) => (
        <div key={id}>
          <dt>{name}</dt>
          <dd>{value === null ? batchTexts.ownFormer : <ParameterValue id={id} value={value} />}</dd>
        </div>
      ))}
    </dl>
  )
}
