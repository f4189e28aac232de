import {
  type AdvertisementRow,
  deleteAdvertisement,
  endAdvertisement,
  listAdvertisements,
  listDeliveries,
} from '@voltkeep/contract/advertisements'
import { formatCount } from '../../lib/format.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { ConfirmButton } from '../../ui/buttons/ConfirmButton.tsx'
import { DeleteRow } from '../../ui/buttons/DeleteButton.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { advertisementTexts } from './advertisements.texts.ts'

const { remove, end } = advertisementTexts

/** Takes it off its cabinets before its time; the row stays as one that is over. */
export function EndAdvertisement({ ad }: { ad: AdvertisementRow }) {
  const ending = useWriting(endAdvertisement, [listAdvertisements, listDeliveries])
  return (
    <Permitted code={endAdvertisement.access}>
      <ConfirmButton
        type="link"
        size="small"
        isDanger
        title={end.title}
        body={
          <>
            <p>{end.ask(ad.adName, formatCount(ad.counts.total))}</p>
            <p>{end.warn}</p>
          </>
        }
        confirmLabel={end.action}
        onConfirm={() => ending.mutateAsync({ id: ad.id })}
      >
        {end.action}
      </ConfirmButton>
    </Permitted>
  )
}

export function DeleteAdvertisement({
  ad: { id, adName, counts },
  onDeleted,
}: {
  ad: AdvertisementRow
  onDeleted?: () => void
}) {
  return (
    <DeleteRow
      endpoint={deleteAdvertisement}
      input={{ id }}
      stale={[listAdvertisements]}
      words={remove}
      asks={[remove.ask(adName, formatCount(counts.total)), remove.warn]}
      onDeleted={onDeleted}
    />
  )
}
