import { texts } from '../../lib/texts/index.ts'
import styles from './OnlineTag.module.css'

/** A filled dot and 在线, a ring and 离线; null is 未接入, a device that was never connected. */
export function OnlineTag({ isOnline, isSign = false }: { isOnline: 0 | 1 | null; isSign?: boolean }) {
  const { online, offline, never } = texts.states
  const word = isOnline === null ? never : isOnline ? online : offline
  return (
    <span className={styles.tag} data-online={isOnline ?? 'never'} title={isSign ? word : undefined}>
      <span className={styles.dot} aria-hidden="true" />
      <span className={isSign ? 'visually-hidden' : undefined}>{word}</span>
    </span>
  )
}
