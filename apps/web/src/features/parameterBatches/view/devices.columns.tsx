import type { BatchDeviceRow, ParameterBatchRow } from '@voltkeep/contract/parameterBatches'
import { namedReason } from '@voltkeep/contract/parameterBatchWords'
import type { Column } from '../../../ui/list/DataTable.tsx'
import { operationColumn, textColumn } from '../../../ui/list/plainColumns.tsx'
import { Nothing } from '../../../ui/marks/Nothing.tsx'
import { deviceColumn, reasonColumn, sinceColumn } from '../../../ui/work/deviceColumns.tsx'
import { batchTexts } from '../parameterBatches.texts.ts'
import { DeviceState, First } from '../StateTag.tsx'
import { RetryDevice } from './RetryDevice.tsx'
import { ValueChange } from './ValueChange.tsx'

const { fields } = batchTexts

export function deviceColumns({
  batch: { id: batchId, param, trial },
  hasRetry,
}: {
  batch: Pick<ParameterBatchRow, 'id' | 'param' | 'trial'>
  hasRetry: boolean
}): Column<BatchDeviceRow>[] {
  return [
    deviceColumn(fields.device),
    {
      key: 'state',
      title: fields.deviceState,
      width: 100,
      render: ({ state }) => <DeviceState state={state} />,
    },
    ...(trial
      ? [
          {
            key: 'isTrial',
            title: fields.isTrial,
            width: 72,
            render: ({ isTrial }: BatchDeviceRow) => (isTrial ? <First /> : <Nothing />),
          },
        ]
      : []),
    reasonColumn(fields.reason, 280, namedReason),
    // One column per parameter, so that former values can be compared down the column.
    ...param.map(({ id, name }) => ({
      key: id,
      title: name,
      maxWidth: 420,
      render: ({ values }: BatchDeviceRow) => {
        const value = values.find((one) => one.id === id)
        return value ? <ValueChange of={value} /> : <Nothing />
      },
    })),
    textColumn('attempts', fields.attempts, { width: 88, align: 'right' }),
    textColumn('operatorName', fields.operator, { key: 'operator', maxWidth: 140 }),
    sinceColumn('changeTime', fields.changeTime),
    ...(hasRetry
      ? [operationColumn(72, (device: BatchDeviceRow) => <RetryDevice batchId={batchId} device={device} />)]
      : []),
  ]
}
