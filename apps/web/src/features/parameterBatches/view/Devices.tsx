import { liveDevices } from '@voltkeep/contract/devices'
import {
  type BatchDeviceRow,
  batchDeviceStates,
  liveBatchDevices,
  type ParameterBatchDetail,
  retryParameterBatch,
} from '@voltkeep/contract/parameterBatches'
import { namedReason } from '@voltkeep/contract/parameterBatchWords'
import { useMemo } from 'react'
import { InlineSelect } from '../../../ui/list/InlineList.tsx'
import { useInlineList, useInlineLive } from '../../../ui/list/useInlineList.ts'
import { usePermission } from '../../../ui/Permitted.tsx'
import { WorkDevices } from '../../../ui/work/WorkDevices.tsx'
import styles from '../parameterBatches.module.css'
import { batchTexts } from '../parameterBatches.texts.ts'
import { changesLine, failedCount } from '../parameterBatches.words.ts'
import { DeviceState, First } from '../StateTag.tsx'
import { BatchDevicePanel } from './BatchDevicePanel.tsx'
import { deviceColumns } from './devices.columns.tsx'
import { devicesOfBatch } from './devices.filters.ts'

const { batch: words, fields } = batchTexts

const liveOptions = {
  isChanged: (before: BatchDeviceRow, after: BatchDeviceRow) => before.state !== after.state,
  // The row also shows whether the device is online.
  shows: { [liveDevices.noun]: ({ equipId }: BatchDeviceRow) => equipId },
}
const states = { label: fields.deviceState, order: batchDeviceStates, words: batchTexts.deviceStates }

export function Devices({ batch }: { batch: ParameterBatchDetail }) {
  const owner = useMemo(() => ({ id: batch.id }), [batch.id])
  const source = useInlineList(devicesOfBatch, owner)
  const live = useInlineLive(source.list, owner, liveBatchDevices, liveOptions)
  const mayRetry = usePermission(retryParameterBatch.access)
  return (
    <WorkDevices
      source={source}
      live={live}
      states={states}
      label={words.devices}
      measure={batchTexts.devicesMeasure}
      columns={deviceColumns({ batch, hasRetry: mayRetry && failedCount(batch.counts) > 0 })}
      markOf={({ state, isTrial }) => (
        <span className={styles.marks}>
          {isTrial && <First />}
          <DeviceState state={state} />
        </span>
      )}
      secondOf={({ reason, values }) => (reason === null ? changesLine(values) : namedReason(reason))}
      reasonOf={namedReason}
      expected={batch.counts.total}
      empty={words.noDevices}
      panel={(place) => <BatchDevicePanel {...place} batch={batch} />}
    >
      {batch.trial && (
        <InlineSelect<0 | 1>
          label={words.trialFilter.label}
          placeholder={words.trialFilter.all}
          value={source.filters.isTrial}
          options={[
            { value: 1, label: words.trialFilter[1] },
            { value: 0, label: words.trialFilter[0] },
          ]}
          onChange={(isTrial) => source.narrow({ isTrial: isTrial ?? undefined })}
        />
      )}
    </WorkDevices>
  )
}
