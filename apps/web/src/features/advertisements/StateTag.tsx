import type { AdvertisementStatus, DeliveryState } from '@voltkeep/contract/advertisements'
import styles from './advertisements.module.css'
import { advertisementTexts } from './advertisements.texts.ts'

/** An advertisement's state: its word, and a mark with a shape of its own. */
export function AdvertisementState({ status }: { status: AdvertisementStatus }) {
  return <Tag state={status} word={advertisementTexts.statuses[status]} />
}

/** The state of the delivery to one cabinet. */
export function CabinetState({ state }: { state: DeliveryState }) {
  return <Tag state={state} word={advertisementTexts.states[state]} />
}

function Tag({ state, word }: { state: string; word: string }) {
  return (
    <span className={styles.state} data-state={state}>
      {word}
    </span>
  )
}
