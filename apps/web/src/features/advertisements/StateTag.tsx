import type { AdvertisementStatus, DeliveryState } from '@voltkeep/contract/advertisements'
import { StateTag } from '../../ui/StateTag.tsx'
import { advertisementTexts } from './advertisements.texts.ts'

/** An advertisement's state: its word, and a mark with a shape of its own. */
export function AdvertisementState({ status }: { status: AdvertisementStatus }) {
  return <StateTag state={status}>{advertisementTexts.statuses[status]}</StateTag>
}

/** The state of the delivery to one cabinet. */
export function CabinetState({ state }: { state: DeliveryState }) {
  return <StateTag state={state}>{advertisementTexts.states[state]}</StateTag>
}
