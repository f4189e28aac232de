import styles from './Bins.module.css'
import type { BinLook } from './cabinet.model.ts'

const shapes: Record<BinLook, string> = {
  // A tick, a bolt, two bars, a hollow square, a cross, a barred circle, a question mark: each told by its outline.
  full: 'M3 8.5 6.5 12 13 4.5',
  charging: 'M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z',
  idle: 'M5.5 3.5v9M10.5 3.5v9',
  empty: 'M3.5 3.5h9v9h-9z',
  fault: 'M4 4l8 8M12 4l-8 8',
  disabled: 'M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM4 4l8 8',
  unknown: 'M5.5 6a2.5 2.5 0 1 1 3.7 2.2c-.8.4-1.2.9-1.2 1.8M8 12.6v.4',
}

/** The sign of a compartment's state. Words stand beside it, or in what is spoken of the compartment. */
export function BinSign({ look }: { look: BinLook }) {
  return (
    <svg
      className={styles.sign}
      data-look={look}
      viewBox="0 0 16 16"
      width="14"
      height="14"
      aria-hidden="true"
    >
      <path d={shapes[look]} />
    </svg>
  )
}
