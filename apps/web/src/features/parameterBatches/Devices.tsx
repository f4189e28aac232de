import { liveDevices } from '@voltkeep/contract/devices'
import {
  type BatchDeviceRow,
  batchDeviceStates,
  liveBatchDevices,
  type ParameterBatchDetail,
  retryParameterBatch,
} from '@voltkeep/contract/parameterBatches'
import { Select } from 'antd'
import { useMemo } from 'react'
import { formatCount } from '../../lib/format.ts'
import { narrowQuery, useMedia } from '../../lib/media.ts'
import { texts } from '../../lib/texts/index.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { DataTable } from '../../ui/list/DataTable.tsx'
import { InlineCodes } from '../../ui/list/InlineCodes.tsx'
import { Pager } from '../../ui/list/Pager.tsx'
import { useList } from '../../ui/list/useList.ts'
import { type LiveListOptions, useLiveList } from '../../ui/list/useLiveList.ts'
import { usePermission } from '../../ui/Permitted.tsx'
import { useOpenRow } from '../../ui/useOpenRow.ts'
import { DevicePanel } from './DevicePanel.tsx'
import { deviceColumns } from './devices.columns.tsx'
import { devicesOfBatch } from './devices.filters.ts'
import styles from './parameterBatches.module.css'
import { batchTexts } from './parameterBatches.texts.ts'
import { changesLine, failedCount } from './parameterBatches.words.ts'
import { DeviceState } from './StateTag.tsx'

const { batch: words, fields } = batchTexts

/** The devices of a batch, a page at a time; their states change in place. */
export function Devices({ batch }: { batch: ParameterBatchDetail }) {
  const isNarrow = useMedia(narrowQuery)
  const read = useList(devicesOfBatch, { fixed: { id: batch.id } })
  // The live stream asks for rows by the filters, and a row belongs to its batch.
  const filters = useMemo(() => ({ ...read.filters, id: batch.id }), [read.filters, batch.id])
  const list = { ...read, filters }
  const options = useMemo<LiveListOptions<BatchDeviceRow>>(
    () => ({
      anyState: { id: batch.id },
      isChanged: (before, after) => before.state !== after.state,
      // Whether it is online stands in the row too.
      shows: { [liveDevices.noun]: ({ equipId }) => equipId },
    }),
    [batch.id],
  )
  const live = useLiveList(list as never, liveBatchDevices, options) as ReturnType<
    typeof useLiveList<never, BatchDeviceRow>
  >
  const row = useOpenRow()
  const mayRetry = usePermission(retryParameterBatch.access)
  const { reason, states, code } = read.filters
  const apply = (changed: Record<string, unknown>) => read.apply({ ...read.filters, ...changed })
  return (
    <>
      <div className={styles.filters}>
        <Select
          aria-label={fields.deviceState}
          mode="multiple"
          maxTagCount="responsive"
          className={styles.filter ?? ''}
          placeholder={words.allStates}
          allowClear
          value={[...(states ?? [])]}
          options={batchDeviceStates.map((state) => ({
            value: state,
            label: batchTexts.deviceStates[state],
          }))}
          onChange={(next: string[]) =>
            apply({ states: next.length > 0 ? next : undefined, reason: undefined })
          }
        />
        <InlineCodes className={styles.filter} value={code} onChange={(next) => apply({ code: next })} />
        {reason !== undefined && (
          <button type="button" className={styles.chip} onClick={() => apply({ reason: undefined })}>
            {reason} <span aria-hidden="true">×</span>
          </button>
        )}
        {(states || code || reason !== undefined) && (
          <button type="button" className="link-button" onClick={read.reset}>
            {texts.list.clearFilters}
          </button>
        )}
        <span className={styles.quiet}>{texts.list.total(formatCount(read.total))}</span>
        {live.isStale && (
          <button type="button" className="link-button" onClick={live.show}>
            {batchTexts.stale}
          </button>
        )}
      </div>
      {read.error ? (
        <EmptyState
          title={texts.list.failed}
          hint={read.error.message}
          action={
            <button type="button" className="button" onClick={read.retry}>
              {texts.list.retry}
            </button>
          }
        />
      ) : (
        <div className={styles.table}>
          <DataTable
            label={words.devices}
            columns={deviceColumns({
              batch,
              hasRetry: mayRetry && failedCount(batch.counts) > 0,
            })}
            rows={live.rows}
            keyOf={({ id }) => id}
            isNarrow={isNarrow}
            card={(device) => ({
              lead: <span className="mono">{device.code}</span>,
              aside: <DeviceState state={device.state} />,
              second: device.reason ?? changesLine(device.values),
            })}
            onOpen={({ id }) => row.open(id)}
            openKey={row.id}
            changedKeys={live.changedKeys}
            isDimmed={read.isStale}
            skeletonRows={read.isFirst ? read.pageSize : 0}
            empty={<EmptyState title={words.noDevices} />}
          />
        </div>
      )}
      <div className={styles.foot}>
        <Pager list={read as never} isNarrow={isNarrow} />
      </div>
      {row.id && <DevicePanel key={row.id} id={row.id} batch={batch} onClose={row.close} />}
    </>
  )
}
