import { CloseOutlined } from '@ant-design/icons'
import { type ChangeEvent, useState } from 'react'
import { texts } from '../../../lib/texts/index.ts'
import styles from './CodeBox.module.css'
import { cleanCodes, codesOf } from './codes.ts'

const words = texts.list.codes
const mostLines = 8

export interface CodeBoxProps {
  id: string
  describedBy?: string | undefined
  hasProblem?: boolean
  /** A list, or the text of an address: comma-joined. */
  value: unknown
  onChange: (codes: string[]) => void
  /** One line high until it is used, then it covers what is below. */
  isCompact?: boolean
}

/**
 * Device codes, one per line. Characters other than letters and digits are removed as they are typed or pasted. Enter
 * is a new line; with Ctrl or ⌘ it submits the form around the box.
 */
export function CodeBox({
  id,
  describedBy,
  hasProblem = false,
  value,
  onChange,
  isCompact = false,
}: CodeBoxProps) {
  const codes = codesOf(value)
  const [typed, setTyped] = useState(codes.join('\n'))
  // Empty lines stay while the codes are the same; other codes come from 重置, 'back' or a link.
  const text = codesOf(typed).join() === codes.join() ? typed : codes.join('\n')
  const lines = text.split('\n').length

  const change = (event: ChangeEvent<HTMLTextAreaElement> | { target: HTMLTextAreaElement }) => {
    const box = event.target
    const caret = cleanCodes(box.value.slice(0, box.selectionStart)).length
    const clean = cleanCodes(box.value)
    if (clean !== box.value) {
      box.value = clean
      box.setSelectionRange(caret, caret)
    }
    setTyped(clean)
    onChange(codesOf(clean))
  }
  return (
    <div className={styles.box} data-compact={isCompact || undefined} data-problem={hasProblem || undefined}>
      <textarea
        id={id}
        aria-describedby={describedBy}
        aria-invalid={hasProblem}
        value={text}
        rows={Math.min(mostLines, Math.max(isCompact ? 3 : 5, lines + 1))}
        placeholder={words.hint}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        // Letters of an unfinished Chinese word are left alone.
        onChange={(event) =>
          (event.nativeEvent as InputEvent).isComposing ? setTyped(event.target.value) : change(event)
        }
        onCompositionEnd={(event) => change({ target: event.currentTarget })}
        onBlur={(event) => event.currentTarget.scrollTo(0, 0)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          event.currentTarget.form?.requestSubmit()
        }}
      />
      {codes.length > 0 && (
        <span className={styles.chip}>
          {words.count(codes.length)}
          <button
            type="button"
            aria-label={words.clear}
            title={words.clear}
            onClick={() => {
              setTyped('')
              onChange([])
            }}
          >
            <CloseOutlined aria-hidden="true" />
          </button>
        </span>
      )}
    </div>
  )
}
