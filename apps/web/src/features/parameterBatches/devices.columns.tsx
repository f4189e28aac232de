import type { BatchDeviceRow, ParameterBatchRow } from '@voltkeep/contract/parameterBatches'
import { namedReason } from '@voltkeep/contract/parameterBatchWords'
import { texts } from '../../lib/texts/index.ts'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { batchTexts } from './parameterBatches.texts.ts'
import { RetryDevice } from './RetryDevice.tsx'
import { DeviceState } from './StateTag.tsx'
import { ValueChange } from './ValueChange.tsx'

const { fields } = batchTexts

export function deviceColumns({
  batch: { id: batchId, param },
  hasRetry,
}: {
  batch: Pick<ParameterBatchRow, 'id' | 'param'>
  hasRetry: boolean
}): Column<BatchDeviceRow>[] {
  return [
    {
      key: 'code',
      title: fields.device,
      fixed: 'left',
      render: ({ code, equipId, isOnline }) => (
        <DeviceCode code={code} id={equipId} isOnline={isOnline ?? 0} />
      ),
    },
    {
      key: 'state',
      title: fields.deviceState,
      width: 100,
      render: ({ state }) => <DeviceState state={state} />,
    },
    {
      key: 'reason',
      title: fields.reason,
      maxWidth: 280,
      render: ({ reason }) =>
        reason === null ? <Nothing /> : <span title={namedReason(reason)}>{namedReason(reason)}</span>,
    },
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
    {
      key: 'attempts',
      title: fields.attempts,
      width: 88,
      align: 'right',
      render: ({ attempts }) => attempts,
    },
    {
      key: 'operator',
      title: fields.operator,
      maxWidth: 140,
      render: ({ operatorName }) => <span title={operatorName}>{operatorName}</span>,
    },
    {
      key: 'changeTime',
      title: fields.changeTime,
      width: 96,
      render: ({ changeTime }) => <RelativeTime time={changeTime} isShort />,
    },
    ...(hasRetry
      ? [
          {
            key: 'operation',
            title: texts.list.operation,
            width: 72,
            fixed: 'right' as const,
            render: (device: BatchDeviceRow) => <RetryDevice batchId={batchId} device={device} />,
          },
        ]
      : []),
  ]
}
