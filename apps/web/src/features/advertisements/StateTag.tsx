import type { AdvertisementRow, DeliveryState } from '@voltkeep/contract/advertisements'
import { describeStop } from '@voltkeep/contract/deciders'
import { StateTag } from '../../ui/StateTag.tsx'
import { advertisementTexts } from './advertisements.texts.ts'

/** An advertisement's state: its word, and a mark with a shape of its own. One that somebody stops names that user. */
export function AdvertisementState({ ad: { status, stopped } }: { ad: AdvertisementRow }) {
  if (stopped) {
    return (
      <span title={describeStop(stopped)}>
        <StateTag state="stopping">{advertisementTexts.stopped}</StateTag>
      </span>
    )
  }
  return <StateTag state={status}>{advertisementTexts.statuses[status]}</StateTag>
}

/** The state of the delivery to one cabinet. */
export function CabinetState({ state }: { state: DeliveryState }) {
  return <StateTag state={state}>{advertisementTexts.states[state]}</StateTag>
}
