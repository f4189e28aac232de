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
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import { InlineCodes } from '../../ui/list/InlineCodes.tsx'
import { InlineChip, InlineList, InlineSelect } from '../../ui/list/InlineList.tsx'
import { useInlineList, useInlineLive } from '../../ui/list/useInlineList.ts'
import { usePermission } from '../../ui/Permitted.tsx'
import { DevicePanel } from './DevicePanel.tsx'
import { deviceColumns } from './devices.columns.tsx'
import { devicesOfBatch } from './devices.filters.ts'
import { batchTexts } from './parameterBatches.texts.ts'
import { changesLine, failedCount } from './parameterBatches.words.ts'
import { DeviceState } from './StateTag.tsx'

const { batch: words, fields } = batchTexts

const live = {
  isChanged: (before: BatchDeviceRow, after: BatchDeviceRow) => before.state !== after.state,
  // The row also shows whether the device is online.
  shows: { [liveDevices.noun]: ({ equipId }: BatchDeviceRow) => equipId },
}

/** The devices of a batch, page by page; live updates change their states in place. */
export function Devices({ batch }: { batch: ParameterBatchDetail }) {
  const owner = useMemo(() => ({ id: batch.id }), [batch.id])
  const source = useInlineList(devicesOfBatch, owner)
  const { rows, changedKeys, isStale, show } = useInlineLive(source.list, owner, liveBatchDevices, live)
  const row = useOpenRow()
  const mayRetry = usePermission(retryParameterBatch.access)
  const { narrow } = source
  const { reason, states, code } = source.filters
  return (
    <>
      <InlineList
        source={source}
        news={isStale ? { text: batchTexts.stale, onShow: show } : undefined}
        label={words.devices}
        measure={batchTexts.devicesMeasure}
        columns={deviceColumns({
          batch,
          hasRetry: mayRetry && failedCount(batch.counts) > 0,
        })}
        rows={rows}
        card={(device) => ({
          lead: <span className="mono">{device.code}</span>,
          aside: <DeviceState state={device.state} />,
          second: device.reason === null ? changesLine(device.values) : namedReason(device.reason),
        })}
        onOpen={({ id }) => row.open(id)}
        openKey={row.id}
        changedKeys={changedKeys}
        expected={batch.counts.total}
        empty={words.noDevices}
      >
        <InlineSelect
          label={fields.deviceState}
          mode="multiple"
          placeholder={words.allStates}
          value={[...(states ?? [])]}
          options={batchDeviceStates.map((state) => ({
            value: state,
            label: batchTexts.deviceStates[state],
          }))}
          onChange={(next) => narrow({ states: next.length > 0 ? next : undefined, reason: undefined })}
        />
        <InlineCodes value={code} onChange={(next) => narrow({ code: next })} />
        {reason !== undefined && (
          <InlineChip onDrop={() => narrow({ reason: undefined })}>{namedReason(reason)}</InlineChip>
        )}
      </InlineList>
      {row.id && (
        <DevicePanel
          id={row.id}
          batch={batch}
          rows={rows}
          onOpen={({ id }) => row.open(id)}
          onClose={row.close}
        />
      )}
    </>
  )
}
