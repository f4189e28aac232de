import type { HTMLAttributes, ReactNode } from 'react'
import styles from './Typed.module.css'
import type { useTyped } from './useTyped.ts'

/** Around a control to choose from: listens to typed text, and shows the note below. */
export function Typed({
  of: { frame, note, isDropped },
  noteId,
  children,
  ...rest
}: {
  of: ReturnType<typeof useTyped>
  /** Names the note, which describes the control. */
  noteId: string
  children: ReactNode
} & Pick<HTMLAttributes<HTMLElement>, 'className' | 'onKeyDownCapture'>) {
  return (
    <div {...rest} {...frame}>
      {children}
      {note && (
        <span
          id={noteId}
          role={isDropped ? 'alert' : 'status'}
          className={styles.note}
          data-note={isDropped ? 'problem' : 'waiting'}
        >
          {note}
        </span>
      )}
    </div>
  )
}
