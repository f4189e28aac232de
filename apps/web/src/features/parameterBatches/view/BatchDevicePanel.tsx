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
import { reading } from '../../../lib/wire/reading.ts'
import { ParameterValue } from '../../../ui/cabinet/ParameterValue.tsx'
import { DetailSection, Facts } from '../../../ui/detail/DetailPanel.tsx'
import { usePermission } from '../../../ui/Permitted.tsx'
import { DevicePanel, type DevicePanelProps, WorkedDevice } from '../../../ui/work/DevicePanel.tsx'
import styles from '../parameterBatches.module.css'
import { batchTexts } from '../parameterBatches.texts.ts'
import { DeviceState, First } from '../StateTag.tsx'
import { Attempts } from './Attempts.tsx'
import { RetryDevice } from './RetryDevice.tsx'

const { batch: words, fields, devicesMeasure } = batchTexts
const mostAttempts = 200

/** Each parameter's former, intended and present value, and all attempts. */
export function BatchDevicePanel({
  batch,
  ...place
}: { batch: ParameterBatchDetail } & DevicePanelProps<BatchDeviceRow>) {
  const { id } = place
  const query = useQuery({ ...reading(listBatchDevices, { id: batch.id, ids: [id] }), retry: false })
  const log = useQuery(reading(listBatchLog, { id: batch.id, targetId: id, pageSize: mostAttempts }))
  const mayRetry = usePermission(retryParameterBatch.access)
  return (
    <DevicePanel
      {...place}
      query={query}
      history={log}
      noun={liveBatchDevices}
      words={{ title: words.openDevice, notFound: words.deviceNotFound, measure: devicesMeasure }}
      show={(device) => ({
        tags: (
          <span className={styles.marks}>
            {device.isTrial && <First />}
            <DeviceState state={device.state} />
          </span>
        ),
        mainAction: mayRetry && <RetryDevice key={id} batchId={batch.id} device={device} />,
        parts: (
          <>
            <DetailSection title={words.values}>
              {device.reason && <p className={styles.panelReason}>{namedReason(device.reason)}</p>}
              <ul className={styles.valueCards}>
                {device.values.map(({ id: parameter, name, former, value, current }) => (
                  <li key={parameter}>
                    <strong>{name}</strong>
                    <dl
                      className={styles.threeValues}
                      data-wide={parameter === lampsParameterId || undefined}
                    >
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
                  [fields.device, <WorkedDevice key="code" row={device} />],
                  [fields.attempts, device.attempts],
                  [fields.nextTime, device.nextTime],
                  [fields.verifiedTime, device.verifiedTime],
                  [fields.operator, device.operatorName],
                  [fields.region, device.regionName],
                ]}
              />
            </DetailSection>
          </>
        ),
      })}
    />
  )
}
