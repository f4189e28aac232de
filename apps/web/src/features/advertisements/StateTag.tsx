import type { AdvertisementRow, DeliveryState } from '@voltkeep/contract/advertisements'
import { describeStop } from '@voltkeep/contract/deciders'
import { StateTag, WorkState } from '../../ui/work/StateTag.tsx'
import { advertisementTexts } from './advertisements.texts.ts'

/** An advertisement that somebody stops names that user. */
export function AdvertisementState({ ad: { status, stopped } }: { ad: AdvertisementRow }) {
  if (stopped) {
    return (
      <span title={describeStop(stopped)}>
        <StateTag state="stopping">{advertisementTexts.stopped}</StateTag>
      </span>
    )
  }
  return <WorkState state={status} words={advertisementTexts.statuses} />
}

export function CabinetState({ state }: { state: DeliveryState }) {
  return <WorkState state={state} words={advertisementTexts.states} />
}
