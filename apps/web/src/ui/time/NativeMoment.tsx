import { CalendarOutlined } from '@ant-design/icons'
import styles from './NativeMoment.module.css'

export interface NativeMomentProps {
  id?: string | undefined
  /** The name for screen readers; a form's field has a label of its own. */
  label?: string | undefined
  /** In place of a value. */
  placeholder: string
  describedBy?: string | undefined
  hasProblem?: boolean
  /** With seconds; otherwise a day. */
  hasTime?: boolean | undefined
  /** As an input has it: `2026-11-20T09:30:05`; empty for none. */
  value: string
  /** The first and the last that can be chosen. */
  min?: string
  max?: string
  onChange: (value: string) => void
}

/**
 * A day or a moment on a phone or a tablet, chosen with the device's own calendar. The control is invisible above its
 * value: a browser writes dates in its own language.
 */
export function NativeMoment({
  id,
  label,
  placeholder,
  describedBy,
  hasProblem = false,
  hasTime = false,
  value,
  min,
  max,
  onChange,
}: NativeMomentProps) {
  return (
    <div className={styles.moment} data-problem={hasProblem || undefined}>
      <span aria-hidden="true" data-none={value === '' || undefined}>
        {value.replace('T', ' ') || placeholder}
      </span>
      <CalendarOutlined aria-hidden="true" />
      <input
        id={id}
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={hasProblem}
        // With seconds, as times are everywhere here.
        {...(hasTime ? { type: 'datetime-local', step: 1 } : { type: 'date' })}
        min={min}
        max={max}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  )
}
