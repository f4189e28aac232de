// One device of a batch: its values and its log.
import { useQuery } from '@tanstack/react-query'
import {
  type BatchDeviceRow,
  listBatchDevices,
  listBatchLog,
  liveBatchDevices,
  type ParameterBatchDetail,
  retryParameterBatch,
} from '@voltkeep/contract/parameterBatches'
import { namedReason } from '@voltkeep/contract/parameterBatchWords'
import { lampsParameterId } from '@voltkeep/contract/parameters'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { reading } from '../../lib/wire/reading.ts'
import { ParameterValue } from '../../ui/cabinet/ParameterValue.tsx'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import { DetailPanel, DetailSection, Facts } from '../../ui/detail/DetailPanel.tsx'
import { stepsFrom } from '../../ui/detail/steps.tsx'
import { UnreadPanel } from '../../ui/detail/UnreadPanel.tsx'
import { usePermission } from '../../ui/Permitted.tsx'
import { Attempts } from './Attempts.tsx'
import styles from './parameterBatches.module.css'
import { batchTexts } from './parameterBatches.texts.ts'
import { RetryDevice } from './RetryDevice.tsx'
import { DeviceState } from './StateTag.tsx'

const { batch: words, fields } = batchTexts
const mostAttempts = 200

/** One device of a batch: each parameter's former, intended and present value, and all attempts. */
export function DevicePanel({
  id,
  batch,
  rows,
  onOpen,
  onClose,
}: {
  id: string
  batch: ParameterBatchDetail
  /**
   * The rows of the list beside the panel: its steps go through them, and the open one is shown until the answer
   * arrives.
   */
  rows: readonly BatchDeviceRow[]
  onOpen: (device: BatchDeviceRow) => void
  onClose: () => void
}) {
  const query = useQuery({ ...reading(listBatchDevices, { id: batch.id, ids: [id] }), retry: false })
  const log = useQuery(reading(listBatchLog, { id: batch.id, targetId: id, pageSize: mostAttempts }))
  const mayRetry = usePermission(retryParameterBatch.access)
  useLiveReading(
    () => Promise.all([query.refetch(), log.refetch()]),
    (event) => concerns(event, liveBatchDevices.noun, id),
  )
  const device = [...(query.data?.rows ?? []), ...rows].find((row) => row.id === id)
  if (!device) {
    return (
      <UnreadPanel title={words.openDevice} notFound={words.deviceNotFound} query={query} onClose={onClose} />
    )
  }
  return (
    <DetailPanel
      title={<span className="mono">{device.code}</span>}
      tags={<DeviceState state={device.state} />}
      mainAction={mayRetry && <RetryDevice key={id} batchId={batch.id} device={device} />}
      steps={stepsFrom(rows, id, onOpen, batchTexts.devicesMeasure)}
      of={id}
      onClose={onClose}
    >
      <DetailSection title={words.values}>
        {device.reason && <p className={styles.panelReason}>{namedReason(device.reason)}</p>}
        <ul className={styles.valueCards}>
          {device.values.map(({ id: parameter, name, former, value, current }) => (
            <li key={parameter}>
              <strong>{name}</strong>
              <dl className={styles.threeValues} data-wide={parameter === lampsParameterId || undefined}>
                {(
                  [
                    [fields.former, former],
                    [fields.value, value],
                    [fields.current, current],
                  ] as const
                ).map(([title, one]) => (
                  <div key={title}>
                    <dt>{title}</dt>
                    <dd>
                      <ParameterValue id={parameter} value={one} isCompact />
                    </dd>
                  </div>
                ))}
              </dl>
            </li>
          ))}
        </ul>
      </DetailSection>
      <DetailSection title={words.deviceLog}>
        <Attempts rows={log.isPlaceholderData ? undefined : log.data?.rows} />
      </DetailSection>
      <DetailSection title={batchTexts.detail}>
        <Facts
          facts={[
            [
              fields.device,
              <DeviceCode
                key="code"
                code={device.code}
                id={device.equipId}
                isOnline={device.isOnline ?? 0}
              />,
            ],
            [fields.attempts, device.attempts],
            [fields.nextTime, device.nextTime],
            [fields.verifiedTime, device.verifiedTime],
            [fields.operator, device.operatorName],
            [fields.region, device.regionName],
          ]}
        />
      </DetailSection>
    </DetailPanel>
  )
}
