import { texts } from '../lib/texts/index.ts'
import styles from './OnlineTag.module.css'

/** A filled dot and 在线, or a ring and 离线. */
export function OnlineTag({ isOnline, isSign = false }: { isOnline: 0 | 1; isSign?: boolean }) {
  const word = isOnline ? texts.states.online : texts.states.offline
  return (
    <span className={styles.tag} data-online={isOnline} title={isSign ? word : undefined}>
      <span className={styles.dot} aria-hidden="true" />
      <span className={isSign ? 'visually-hidden' : undefined}>{word}</span>
    </span>
  )
}
