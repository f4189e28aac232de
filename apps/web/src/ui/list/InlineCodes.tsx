import { Input } from 'antd'
import { useEffect, useState } from 'react'
import { isComposing } from '../../lib/browser/composing.ts'
import { texts } from '../../lib/texts/index.ts'
import styles from './InlineList.module.css'

export interface InlineCodesProps {
  /** As applied. */
  value: readonly string[] | undefined
  /** Comma-joined; undefined for none. */
  onChange: (code: string | undefined) => void
}

/** Device codes above a list within a page, comma-joined. Applied by Enter, and when the field is left. */
export function InlineCodes({ value, onChange }: InlineCodesProps) {
  const applied = value?.join(',') ?? ''
  const [typed, setTyped] = useState(applied)
  useEffect(() => setTyped(applied), [applied])
  const apply = (code = typed) => {
    if (code.trim() !== applied) onChange(code.trim() || undefined)
  }
  return (
    <Input
      aria-label={texts.fields.code}
      className={styles.filter ?? ''}
      placeholder={texts.fields.code}
      allowClear
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onClear={() => apply('')}
      onPressEnter={({ nativeEvent }) => isComposing(nativeEvent) || apply()}
      onBlur={() => apply()}
    />
  )
}
