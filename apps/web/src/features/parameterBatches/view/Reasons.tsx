import type { ParameterBatchDetail } from '@voltkeep/contract/parameterBatches'
import { namedReason } from '@voltkeep/contract/parameterBatchWords'
import { WorkReasons } from '../../../ui/work/WorkReasons.tsx'
import { batchTexts } from '../parameterBatches.texts.ts'
import { devicesOfBatch } from './devices.filters.ts'

const { batch: words } = batchTexts

/** Why devices failed or were left out. */
export function Reasons({ batch: { reasons } }: { batch: ParameterBatchDetail }) {
  return (
    <WorkReasons
      title={words.failures}
      reasons={reasons}
      none={words.noFailures}
      states={batchTexts.deviceStates}
      reasonOf={namedReason}
      countOf={batchTexts.deviceCount}
      devices={devicesOfBatch}
    />
  )
}
