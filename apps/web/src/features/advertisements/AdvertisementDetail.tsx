// The panel of one advertisement, beside its list; read only: delivery progress, failures, preview and cabinets.
import { useQuery } from '@tanstack/react-query'
import {
  type AdvertisementRow,
  createAdvertisement,
  listAdvertisements,
  liveDeliveries,
  shareAdvertisement,
} from '@voltkeep/contract/advertisements'
import { describeStop } from '@voltkeep/contract/deciders'
import { Alert, Button } from 'antd'
import { useState } from 'react'
import { formatBytes } from '../../lib/format.ts'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { reading } from '../../lib/wire/reading.ts'
import { RowActions, RowButton } from '../../ui/buttons/RowActions.tsx'
import { DetailPanel, DetailSection, Facts } from '../../ui/detail/DetailPanel.tsx'
import { stepsFrom } from '../../ui/detail/steps.tsx'
import { UnreadPanel } from '../../ui/detail/UnreadPanel.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { DeleteAdvertisement, EndAdvertisement } from './AdvertisementActions.tsx'
import { advertisementTexts } from './advertisements.texts.ts'
import { Deliveries, Failures } from './Deliveries.tsx'
import { DeliveryProgress } from './DeliveryProgress.tsx'
import { Preview } from './Preview.tsx'
import { AdvertisementState } from './StateTag.tsx'

const AdvertisementDialog = lazyDialog(() => import('./AdvertisementDialog.tsx'))
const ShareDialog = lazyDialog(() => import('./ShareDialog.tsx'))

const { fields } = advertisementTexts

export function AdvertisementDetail({
  id,
  rows,
  onOpen,
  onClose,
}: {
  id: string
  /** The rows of the list beside the panel; its steps go through them. */
  rows: readonly AdvertisementRow[]
  onOpen: (ad: AdvertisementRow) => void
  onClose: () => void
}) {
  const known = rows.filter((each) => each.id === id)
  const query = useQuery({
    ...reading(listAdvertisements, { ids: [id] }),
    // The list's row is shown until the answer arrives.
    placeholderData: known.length > 0 ? { rows: known, total: 1 } : undefined,
    retry: false,
    meta: { isQuiet: 'first' },
  })
  useLiveReading(query.refetch, (event) => concerns(event, liveDeliveries.noun))
  const [isSharing, setSharing] = useState(false)
  const [isReplacing, setReplacing] = useState(false)
  const ad = query.data?.rows[0]
  if (!ad) {
    return (
      <UnreadPanel
        title={advertisementTexts.detail}
        notFound={advertisementTexts.notFound}
        query={query}
        onClose={onClose}
      />
    )
  }
  return (
    <DetailPanel
      title={ad.adName}
      tags={<AdvertisementState ad={ad} />}
      actions={
        <RowActions
          more={
            ad.status !== 'deleted' && (
              <>
                {ad.status === 'running' && <EndAdvertisement ad={ad} />}
                <DeleteAdvertisement ad={ad} onDeleted={onClose} />
              </>
            )
          }
        >
          {(ad.status === 'running' || ad.status === 'planned') && (
            <RowButton code={createAdvertisement.access} onClick={() => setReplacing(true)}>
              {advertisementTexts.replace}
            </RowButton>
          )}
        </RowActions>
      }
      steps={stepsFrom(rows, id, onOpen)}
      of={id}
      onClose={onClose}
    >
      {ad.stopped && (
        <Alert
          type="warning"
          showIcon
          title={advertisementTexts.stoppedBy(describeStop(ad.stopped))}
          description={advertisementTexts.stoppedHint}
        />
      )}
      <DetailSection title={fields.progress}>
        <DeliveryProgress counts={ad.counts} />
      </DetailSection>
      <Failures ad={ad} />
      <DetailSection
        title={advertisementTexts.preview}
        aside={
          ad.contentType.startsWith('image/') && (
            <Permitted code={shareAdvertisement.access}>
              <Button size="small" onClick={() => setSharing(true)}>
                {advertisementTexts.share.action}
              </Button>
            </Permitted>
          )
        }
      >
        <Preview adId={ad.id} name={ad.adName} />
      </DetailSection>
      <DetailSection title={advertisementTexts.detail}>
        <Facts
          facts={[
            [fields.startTime, ad.adStartTime],
            [fields.endTime, ad.adEndTime],
            [fields.fileName, ad.fileMame],
            [fields.size, formatBytes(ad.sizeBytes)],
            [fields.replaced, ad.replacedAdName],
            [fields.createBy, ad.createBy],
            [fields.createTime, ad.createTime],
          ]}
        />
      </DetailSection>
      <Deliveries ad={ad} />
      {isSharing && <ShareDialog ad={ad} onClose={() => setSharing(false)} />}
      {isReplacing && <AdvertisementDialog replaced={ad} onClose={() => setReplacing(false)} />}
    </DetailPanel>
  )
}
