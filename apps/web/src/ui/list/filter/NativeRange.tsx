import { serverNow } from '../../../lib/clock.ts'
import { texts } from '../../../lib/texts/index.ts'
import { NativeMoment } from '../../time/NativeMoment.tsx'
import type { DateRangeProps } from './DateRange.tsx'
import styles from './filters.module.css'
import { fromMoment, presetsAt, toMoment } from './ranges.ts'

/**
 * A range on a phone or a tablet, chosen with the device's own calendar. antd's calendar of a range is twice as wide as
 * a phone, and on a tablet it opens beyond the left edge.
 */
export function NativeRange({ from, until, onChange, ...field }: DateRangeProps) {
  return (
    <div className={styles.range}>
      <div className={styles.ends} data-stacked={field.hasTime || undefined}>
        <End
          {...field}
          label={texts.list.from}
          moment={toMoment(from, 'from')}
          onChange={(time) => onChange(time, until)}
        />
        <End
          {...field}
          id={`${field.id}-end`}
          label={texts.list.until}
          moment={toMoment(until, 'until')}
          onChange={(time) => onChange(from, time)}
        />
      </div>
      <div className={styles.presets}>
        {presetsAt(serverNow()).map(({ label, first, last }) => (
          <button
            key={label}
            type="button"
            className={`button ${styles.preset}`}
            aria-pressed={from === first && until === last}
            onClick={() => onChange(first, last)}
          >
            {label}
          </button>
        ))}
      </div>
    </div>
  )
}

interface EndProps extends Pick<DateRangeProps, 'id' | 'describedBy' | 'hasProblem' | 'hasTime'> {
  label: string
  moment: string
  onChange: (time: string | undefined) => void
}

function End({ hasTime, label, moment, onChange, ...field }: EndProps) {
  return (
    <NativeMoment
      {...field}
      hasTime={hasTime}
      label={label}
      placeholder={label}
      value={hasTime ? moment : moment.slice(0, 'YYYY-MM-DD'.length)}
      onChange={(value) => onChange(fromMoment(value))}
    />
  )
}
