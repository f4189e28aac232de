// The delivery of an advertisement to its cabinets: progress, and why some failed.
import { useQuery } from '@tanstack/react-query'
import {
  type AdvertisementRow,
  type DeliveryRow,
  type DeliveryState,
  deliveryStates,
  listAdvertisements,
  listDeliveries,
  listFailureReasons,
  liveDeliveries,
  retryDeliveries,
} from '@voltkeep/contract/advertisements'
import { Button } from 'antd'
import { formatCount } from '../../lib/format.ts'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { reading } from '../../lib/wire/reading.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import { DetailSection } from '../../ui/detail/DetailPanel.tsx'
import { InlineList, InlineSelect } from '../../ui/list/InlineList.tsx'
import { usePanelList } from '../../ui/list/useInlineList.ts'
import { Permitted, usePermission } from '../../ui/Permitted.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import { WorkedDevice } from '../../ui/work/DevicePanel.tsx'
import { workTexts } from '../../ui/work/work.texts.ts'
import styles from './advertisements.module.css'
import { advertisementTexts } from './advertisements.texts.ts'
import { sharesOf } from './DeliveryProgress.tsx'
import { CabinetState } from './StateTag.tsx'

const { fields, states } = advertisementTexts
const stale = [listAdvertisements, listDeliveries, listFailureReasons]
const retriable: readonly DeliveryState[] = ['failed', 'refused']

function useRetry() {
  return useWriting(retryDeliveries, stale, { said: advertisementTexts.retried })
}

/** Why cabinets failed, the most frequent reason first. Renders nothing where none failed. */
export function Failures({ ad }: { ad: AdvertisementRow }) {
  const { failed } = sharesOf(ad.counts)
  const query = useQuery({ ...reading(listFailureReasons, { adId: ad.id }), enabled: failed > 0 })
  const retrying = useRetry()
  if (failed === 0) return null
  return (
    <DetailSection
      title={advertisementTexts.failures}
      aside={
        ad.status !== 'over' &&
        !ad.stopped && (
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

/** The cabinets of an advertisement, page by page; live updates change their states in place. */
export function Deliveries({ ad }: { ad: AdvertisementRow }) {
  const source = usePanelList(listDeliveries, { adId: ad.id })
  useLiveReading(source.paging.retry, (event) => concerns(event, liveDeliveries.noun))
  const retrying = useRetry()
  const mayRetry = usePermission(retryDeliveries.access) && ad.status !== 'over'
  const retryOf = ({ id, state }: DeliveryRow) =>
    mayRetry &&
    retriable.includes(state) && (
      <button
        type="button"
        className="link-button"
        disabled={retrying.isPending}
        onClick={() => retrying.mutate({ id: ad.id, deliveryIds: [id] })}
      >
        {advertisementTexts.retry}
      </button>
    )
  return (
    <DetailSection title={advertisementTexts.deliveries}>
      <InlineList
        isCompact
        source={source}
        label={advertisementTexts.deliveries}
        measure={advertisementTexts.cabinetMeasure}
        columns={[]}
        rows={source.rows}
        card={(row) => ({
          lead: <WorkedDevice row={row} />,
          aside: <CabinetState state={row.state} />,
          second: [row.operatorName, row.reason].filter(Boolean).join(' · '),
          action: (
            <span className={styles.done}>
              {retryOf(row)}
              <RelativeTime time={row.changeTime} isShort />
            </span>
          ),
        })}
        empty={advertisementTexts.noDeliveries}
      >
        <InlineSelect
          label={fields.state}
          placeholder={workTexts.allStates}
          value={source.filters.states?.[0] ?? null}
          options={choicesOf(deliveryStates, states)}
          onChange={(state) => source.narrow({ states: state ? [state] : undefined })}
        />
      </InlineList>
    </DetailSection>
  )
}
