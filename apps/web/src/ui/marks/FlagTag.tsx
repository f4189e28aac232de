import { texts } from '../../lib/texts/index.ts'
import styles from './FlagTag.module.css'

/** 故障 or 正常: in words and in colour. */
export function FlagTag({ flag }: { flag: 'normal' | 'fault' }) {
  return (
    <span className={styles.flag} data-flag={flag}>
      {texts.states.flags[flag]}
    </span>
  )
}
