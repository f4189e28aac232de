import { Input } from 'antd'
import type { ComponentProps } from 'react'
import styles from '../alarms.module.css'
import { recoverTexts } from './recover.texts.ts'

/** The note of a manual recovery: the first field of each dialog that recovers alarms. */
export const NoteInput = (props: ComponentProps<typeof Input.TextArea>) => (
  <Input.TextArea
    {...props}
    rows={3}
    maxLength={200}
    showCount
    className={styles.noteInput}
    placeholder={recoverTexts.notePlaceholder}
  />
)
