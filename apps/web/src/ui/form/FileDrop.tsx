import { Button } from 'antd'
import { type DragEvent, useRef, useState } from 'react'
import styles from './FileDrop.module.css'

export interface FileDropProps {
  /** Text before the button, where there is a mouse: the files that may be dropped. */
  invitation?: string | undefined
  /** Text before the button: the chosen file. */
  chosen?: string | undefined
  /** The button's word. */
  action: string
  /** A quiet text about the allowed files. */
  hint?: string
  /** As an input's `accept`. */
  accept?: string | undefined
  /** Of the button: what a label or a form focuses. */
  id?: string | undefined
  hasFocus?: boolean
  /** At least one; more than one only where they were dropped. */
  onChoose: (files: readonly File[]) => void
}

/** A place to drop a file or press for one. */
export function FileDrop({
  invitation,
  chosen,
  action,
  hint,
  accept,
  id,
  hasFocus = false,
  onChoose,
}: FileDropProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const over = (is: boolean) => (event: DragEvent) => {
    event.preventDefault()
    setOver(is)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is for the mouse; the button does the same
    <div
      className={styles.drop}
      data-over={isOver || undefined}
      onDragOver={over(true)}
      onDragLeave={over(false)}
      onDrop={(event) => {
        over(false)(event)
        const files = [...event.dataTransfer.files]
        if (files.length > 0) onChoose(files)
      }}
    >
      {chosen !== undefined && <span>{chosen}</span>}
      {invitation !== undefined && chosen === undefined && (
        <span className={styles.invitation}>{invitation}</span>
      )}
      <Button id={id} autoFocus={hasFocus} onClick={() => input.current?.click()}>
        {action}
      </Button>
      {hint !== undefined && <span className={styles.hint}>{hint}</span>}
      <input
        ref={input}
        type="file"
        accept={accept}
        aria-label={action}
        className="visually-hidden"
        tabIndex={-1}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])]
          // The same file can be chosen again after it was corrected.
          event.target.value = ''
          if (files.length > 0) onChoose(files)
        }}
      />
    </div>
  )
}
