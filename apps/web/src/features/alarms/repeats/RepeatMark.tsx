import type { AlarmRow } from '@voltkeep/contract/alarms'
import { formatCount } from '../../../lib/format.ts'
import styles from './repeats.module.css'
import { repeatTexts } from './repeats.texts.ts'

type Repeated = Pick<AlarmRow, 'repeatCount' | 'repeatFirstTime' | 'repeatLastTime' | 'chatter'>

/** How often the trouble has occurred, and that it chatters. */
export default function RepeatMark({ alarm }: { alarm: Repeated }) {
  const { repeatCount, repeatFirstTime, repeatLastTime, chatter } = alarm
  const count = formatCount(repeatCount)
  return (
    <span
      className={styles.mark}
      title={[
        repeatTexts.span(count, repeatFirstTime ?? '', repeatLastTime ?? ''),
        chatter && repeatTexts.chatterOf[chatter],
      ]
        .filter(Boolean)
        .join('，')}
    >
      <span className={styles.times}>{repeatTexts.times(count)}</span>
      {chatter && <span className={styles.chatter}>{repeatTexts.chatter}</span>}
    </span>
  )
}
