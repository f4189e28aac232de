import { Input } from 'antd'
import type { ComponentProps } from 'react'
import styles from './alarms.module.css'
import { alarmTexts } from './alarms.texts.ts'

/** Why alarms are recovered by hand: the first field of each dialog that does it. */
export const NoteInput = (props: ComponentProps<typeof Input.TextArea>) => (
  <Input.TextArea
    {...props}
    autoFocus
    rows={3}
    maxLength={200}
    showCount
    className={styles.noteInput}
    placeholder={alarmTexts.recover.notePlaceholder}
  />
)
