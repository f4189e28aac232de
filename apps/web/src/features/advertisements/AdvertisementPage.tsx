// The list of advertisements for the screens of cabinets.
import {
  type AdvertisementRow,
  createAdvertisement,
  listAdvertisements,
  liveDeliveries,
} from '@voltkeep/contract/advertisements'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { usePage } from '../../lib/pages.ts'
import { useAdding } from '../../ui/buttons/adding.tsx'
import { RowActions, RowButton } from '../../ui/buttons/RowActions.tsx'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { operationColumn, textColumn, timeColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { DeleteAdvertisement } from './AdvertisementActions.tsx'
import { AdvertisementDetail } from './AdvertisementDetail.tsx'
import { advertisementTexts } from './advertisements.texts.ts'
import { DeliveryProgress } from './DeliveryProgress.tsx'
import { AdvertisementState } from './StateTag.tsx'

const AdvertisementDialog = lazyDialog(() => import('./AdvertisementDialog.tsx'))

const { fields } = advertisementTexts
/** While cabinets answer, the counts are read again at most this often. */
const countsPauseMs = 2_000

export default function AdvertisementPage() {
  const { title } = usePage()
  const list = useList(listAdvertisements)
  const row = useOpenRow()
  const adding = useAdding(createAdvertisement, advertisementTexts)
  useLiveReading(list.retry, (event) => concerns(event, liveDeliveries.noun), countsPauseMs)

  const actions = (ad: AdvertisementRow) => (
    <RowActions more={<DeleteAdvertisement ad={ad} />}>
      <RowButton onClick={() => row.open(ad.id)}>{advertisementTexts.view}</RowButton>
    </RowActions>
  )
  const columns: Column<AdvertisementRow>[] = [
    textColumn('adName', fields.name, { key: 'name', maxWidth: 240, fixed: 'left' }),
    {
      key: 'status',
      title: fields.status,
      width: 92,
      render: (ad) => <AdvertisementState ad={ad} />,
    },
    {
      key: 'progress',
      title: fields.progress,
      width: 220,
      render: ({ counts }) => <DeliveryProgress counts={counts} />,
    },
    timeColumn('adStartTime', fields.startTime, { key: 'start' }),
    timeColumn('adEndTime', fields.endTime, { key: 'end' }),
    textColumn('createBy', fields.createBy, { maxWidth: 120 }),
    timeColumn('createTime', fields.createTime),
    operationColumn(104, actions),
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={advertisementTexts.measure}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        filters={(draft) => <TextFilter of={draft} name="adName" label={fields.name} />}
        actions={adding.button}
        card={(ad) => ({
          lead: ad.adName,
          aside: <AdvertisementState ad={ad} />,
          // Dates only: with times of day the period is wider than a phone's line.
          second: `${ad.adStartTime.slice(0, 10)} 至 ${ad.adEndTime.slice(0, 10)}`,
          action: <DeliveryProgress counts={ad.counts} />,
        })}
        onOpen={({ id }) => row.open(id)}
        openKey={row.id}
        empty={adding.empty}
        emptyFiltered={advertisementTexts.emptyFiltered}
      />
      {row.id && (
        <AdvertisementDetail
          key={row.id}
          id={row.id}
          rows={list.rows}
          onOpen={({ id }) => row.open(id)}
          onClose={row.close}
        />
      )}
      {adding.isOpen && <AdvertisementDialog onClose={adding.close} />}
    </>
  )
}
