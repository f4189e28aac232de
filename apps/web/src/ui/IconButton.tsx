import type { ReactNode } from 'react'
import styles from './IconButton.module.css'

/** For a button that another piece makes. */
export const iconButton = styles.button

/**
 * A button of a sign alone. Its place sets the size by `--icon-button`, and by `--icon-button-width` where it is no
 * square, the sign's by `--icon-button-sign`. `isDisabled` keeps the focus: a step at the end of a list is pressed once too often.
 */
export function IconButton({
  label,
  title = label,
  isDisabled = false,
  onClick,
  children,
}: {
  /** What it is called. */
  label: string
  /** What is shown under the pointer, where that is more than the label. */
  title?: string
  isDisabled?: boolean
  onClick: () => void
  children: ReactNode
}) {
  return (
    <button
      type="button"
      className={iconButton}
      aria-label={label}
      title={title}
      aria-disabled={isDisabled || undefined}
      onClick={() => {
        if (!isDisabled) onClick()
      }}
    >
      {children}
    </button>
  )
}
