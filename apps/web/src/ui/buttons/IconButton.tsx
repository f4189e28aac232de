import type { ReactNode } from 'react'
import styles from './IconButton.module.css'

/** For a button that another piece makes. */
export const iconButton = styles.button

/**
 * A button with an icon only. Its place sets the size by `--icon-button`, by `--icon-button-width` where it is not
 * square, and the icon's by `--icon-button-sign`. `isDisabled` keeps the focus: the step at the end of a list is easily
 * pressed once too often.
 */
export function IconButton({
  label,
  title = label,
  isDisabled = false,
  onClick,
  children,
}: {
  /** Its name for screen readers. */
  label: string
  /** The tooltip, where it is more than the label. */
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
