// The list of advertisements for the screens of cabinets.
import {
  type AdvertisementRow,
  createAdvertisement,
  deleteAdvertisement,
  listAdvertisements,
  liveDeliveries,
} from '@voltkeep/contract/advertisements'
import { Button } from 'antd'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { usePage } from '../../lib/pages.ts'
import { texts } from '../../lib/texts/index.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { AddButton, emptyList } from '../../ui/buttons/adding.tsx'
import { DeleteButton } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions } from '../../ui/buttons/RowActions.tsx'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useList } from '../../ui/list/useList.ts'
import { Permitted, usePermission } from '../../ui/Permitted.tsx'
import { AdvertisementDetail } from './AdvertisementDetail.tsx'
import { advertisementTexts } from './advertisements.texts.ts'
import { DeliveryProgress } from './DeliveryProgress.tsx'
import { AdvertisementState } from './StateTag.tsx'

const AdvertisementDialog = lazyDialog(() => import('./AdvertisementDialog.tsx'))

const { fields, remove } = advertisementTexts
/** While cabinets answer, the counts are read again at most this often. */
const countsPauseMs = 2_000

export default function AdvertisementPage() {
  const { title } = usePage()
  const list = useList(listAdvertisements)
  const row = useOpenRow()
  const [isAdding, setAdding] = useState(false)
  const mayAdd = usePermission(createAdvertisement.access)
  const deleting = useWriting(deleteAdvertisement, [listAdvertisements], { said: remove.done })
  useLiveReading(list.retry, (event) => concerns(event, liveDeliveries.noun), countsPauseMs)

  const actions = ({ id, adName, counts }: AdvertisementRow) => (
    <RowActions
      more={
        <Permitted code={deleteAdvertisement.access}>
          <DeleteButton
            words={remove}
            asks={[remove.ask(adName, formatCount(counts.total)), remove.warn]}
            onConfirm={() => deleting.mutateAsync({ id })}
          />
        </Permitted>
      }
    >
      <Button type="link" size="small" onClick={() => row.open(id)}>
        {advertisementTexts.view}
      </Button>
    </RowActions>
  )
  const columns: Column<AdvertisementRow>[] = [
    {
      key: 'name',
      title: fields.name,
      maxWidth: 240,
      fixed: 'left',
      render: ({ adName }) => <span title={adName}>{adName}</span>,
    },
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
    { key: 'start', title: fields.startTime, width: 168, render: ({ adStartTime }) => adStartTime },
    { key: 'end', title: fields.endTime, width: 168, render: ({ adEndTime }) => adEndTime },
    { key: 'createBy', title: fields.createBy, maxWidth: 120, render: ({ createBy }) => createBy },
    { key: 'createTime', title: fields.createTime, width: 168, render: ({ createTime }) => createTime },
    { key: 'operation', title: texts.list.operation, width: 104, fixed: 'right', render: actions },
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
        actions={
          <AddButton code={createAdvertisement.access} onClick={() => setAdding(true)}>
            {advertisementTexts.add}
          </AddButton>
        }
        card={(ad) => ({
          lead: ad.adName,
          aside: <AdvertisementState ad={ad} />,
          // Dates only: with times of day the period is wider than a phone's line.
          second: `${ad.adStartTime.slice(0, 10)} 至 ${ad.adEndTime.slice(0, 10)}`,
          action: <DeliveryProgress counts={ad.counts} />,
        })}
        onOpen={({ id }) => row.open(id)}
        openKey={row.id}
        empty={emptyList(
          advertisementTexts.empty,
          mayAdd && { hint: advertisementTexts.emptyHint, onAdd: () => setAdding(true) },
        )}
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
      {isAdding && <AdvertisementDialog onClose={() => setAdding(false)} />}
    </>
  )
}
