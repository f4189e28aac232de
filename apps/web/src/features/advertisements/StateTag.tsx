import type { AdvertisementStatus, DeliveryState } from '@voltkeep/contract/advertisements'
import styles from './advertisements.module.css'
import { advertisementTexts } from './advertisements.texts.ts'

/** An advertisement's state in words, with a mark of its own shape. */
export function AdvertisementState({ status }: { status: AdvertisementStatus }) {
  return <Tag state={status} word={advertisementTexts.statuses[status]} />
}

/** How far one cabinet is with it. */
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
