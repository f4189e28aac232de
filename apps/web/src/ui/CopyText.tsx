import { CopyOutlined } from '@ant-design/icons'
import { Fragment, type ReactNode } from 'react'
import { notify } from '../lib/notices.ts'
import { texts } from '../lib/texts/index.ts'
import styles from './CopyText.module.css'

export interface CopyTextProps {
  text: string
  /** Shown in its place, e.g. a link. */
  children?: ReactNode
}

/** A code, a version, a number to hand on: monospaced, copied with one press. */
export function CopyText({ text, children }: CopyTextProps) {
  return (
    <span className={styles.whole}>
      <span className="mono">{children ?? breakable(text)}</span>
      <button
        type="button"
        className={styles.button}
        aria-label={texts.copy.action(text)}
        title={texts.copy.action(text)}
        onClick={(event) => {
          event.stopPropagation()
          void copyText(text)
        }}
      >
        <CopyOutlined />
      </button>
    </span>
  )
}

/** A path that is too long for its line is broken after a slash, not within a word. */
function breakable(text: string) {
  return text.split(/(?<=\/)/).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text stand in their order
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}

/** Copies it to the clipboard, and shows a message. */
export async function copyText(text: string): Promise<void> {
  try {
    // Pages without TLS have no clipboard API; there a selection is copied.
    if (navigator.clipboard) await navigator.clipboard.writeText(text)
    else copyBySelection(text)
    notify.success(texts.copy.done)
  } catch {
    notify.error(texts.copy.failed)
  }
}

function copyBySelection(text: string): void {
  const area = document.createElement('textarea')
  area.value = text
  area.style.position = 'fixed'
  area.style.opacity = '0'
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (!isCopied) throw new Error('not copied')
}
