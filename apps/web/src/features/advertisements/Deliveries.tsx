import { keepPreviousData, useQuery } from '@tanstack/react-query'
import {
  type AdvertisementRow,
  type DeliveryState,
  deliveryStates,
  listAdvertisements,
  listDeliveries,
  listFailureReasons,
  liveDeliveries,
  retryDeliveries,
} from '@voltkeep/contract/advertisements'
import { Button, Pagination, Select } from 'antd'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { texts } from '../../lib/texts/index.ts'
import { reading } from '../../lib/wire/reading.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { DetailSection } from '../../ui/DetailPanel.tsx'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import { Permitted, usePermission } from '../../ui/Permitted.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import styles from './advertisements.module.css'
import { advertisementTexts } from './advertisements.texts.ts'

const { fields, states } = advertisementTexts
const pageSize = 10
const stale = [listAdvertisements, listDeliveries, listFailureReasons]
const retriable: readonly DeliveryState[] = ['failed', 'refused']

function useRetry() {
  return useWriting(retryDeliveries, stale, { said: advertisementTexts.retried })
}

/** Why cabinets failed, the most frequent first. Nothing where none did. */
export function Failures({ ad }: { ad: AdvertisementRow }) {
  const failed = ad.counts.failed + ad.counts.refused
  const query = useQuery({ ...reading(listFailureReasons, { adId: ad.id }), enabled: failed > 0 })
  const retrying = useRetry()
  if (failed === 0) return null
  return (
    <DetailSection
      title={advertisementTexts.failures}
      aside={
        ad.status !== 'over' && (
          <Permitted code={retryDeliveries.access}>
            <Button size="small" loading={retrying.isPending} onClick={() => retrying.mutate({ id: ad.id })}>
              {advertisementTexts.retryAll(formatCount(failed))}
            </Button>
          </Permitted>
        )
      }
    >
      <ul className={styles.reasons}>
        {(query.data ?? []).map(({ reason, count, state }) => (
          <li key={`${state} ${reason}`}>
            <span>{reason}</span>
            <span className={styles.quiet}>{advertisementTexts.cabinets(formatCount(count))}</span>
          </li>
        ))}
      </ul>
    </DetailSection>
  )
}

/** The cabinets of an advertisement, a page at a time; their states change in place. */
export function Deliveries({ ad }: { ad: AdvertisementRow }) {
  const [state, setState] = useState<DeliveryState>()
  const [pageNum, setPageNum] = useState(1)
  const query = useQuery({
    ...reading(listDeliveries, { adId: ad.id, states: state && [state], pageNum, pageSize }),
    placeholderData: keepPreviousData,
  })
  useLiveReading(query.refetch, (event) => concerns(event, liveDeliveries.noun))
  const retrying = useRetry()
  const mayRetry = usePermission(retryDeliveries.access) && ad.status !== 'over'
  const { rows = [], total = 0 } = query.data ?? {}
  return (
    <DetailSection title={advertisementTexts.deliveries} aside={texts.list.total(formatCount(total))}>
      <div className={styles.filters}>
        <Select
          aria-label={fields.state}
          value={state}
          allowClear
          placeholder={advertisementTexts.allStates}
          style={{ width: 140 }}
          options={deliveryStates.map((one) => ({ value: one, label: states[one] }))}
          onChange={(next) => {
            setState(next)
            setPageNum(1)
          }}
        />
      </div>
      {query.error ? (
        <p role="alert">
          {query.error.message}{' '}
          <button type="button" className="link-button" onClick={() => void query.refetch()}>
            {texts.list.retry}
          </button>
        </p>
      ) : rows.length === 0 && !query.isPending ? (
        <p className={styles.quiet}>{advertisementTexts.noDeliveries}</p>
      ) : (
        <table className={styles.table} aria-busy={query.isFetching}>
          <thead>
            <tr>
              <th scope="col">{fields.code}</th>
              <th scope="col">{fields.state}</th>
              <th scope="col">{fields.changed}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <td>
                  <DeviceCode code={row.code} id={row.equipId} isOnline={row.isOnline ?? 0} />
                  <span className={styles.reason}>{row.operatorName}</span>
                </td>
                <td>
                  <span className={styles.state} data-state={row.state}>
                    {states[row.state]}
                  </span>
                  {row.reason && <span className={styles.reason}>{row.reason}</span>}
                  {mayRetry && retriable.includes(row.state) && (
                    <button
                      type="button"
                      className="link-button"
                      disabled={retrying.isPending}
                      onClick={() => retrying.mutate({ id: ad.id, deliveryIds: [row.id] })}
                    >
                      {advertisementTexts.retry}
                    </button>
                  )}
                </td>
                <td>
                  <RelativeTime time={row.changeTime} isShort />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {total > pageSize && (
        <div className={styles.foot}>
          <Pagination
            size="small"
            simple
            current={pageNum}
            pageSize={pageSize}
            total={total}
            showSizeChanger={false}
            onChange={setPageNum}
          />
        </div>
      )}
    </DetailSection>
  )
}
