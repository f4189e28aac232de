import type { ParameterBatchRow } from '@voltkeep/contract/parameterBatches'
import { ParameterValue } from '../../ui/cabinet/ParameterValue.tsx'
import { Facts } from '../../ui/DetailPanel.tsx'
import { batchTexts } from './parameterBatches.texts.ts'

/** The parameters of a batch with their values; a restoration has another value for each device. */
export function ParameterList({ batch: { param } }: { batch: Pick<ParameterBatchRow, 'param'> }) {
  return (
    <Facts
      facts={param.map(({ id, name, value }) => [
        name,
        value === null ? batchTexts.ownFormer : <ParameterValue key={id} id={id} value={value} />,
      ])}
    />
  )
}
