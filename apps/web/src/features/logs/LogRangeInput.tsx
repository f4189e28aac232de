// The form field for the time range of a log extraction, within the days that devices keep logs of. On a phone it uses
// the native picker.
import { DatePicker } from 'antd'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'
import { mobileQuery, useMedia } from '../../lib/browser/media.ts'
import { serverNow } from '../../lib/clock.ts'
import { NativeMoment } from '../../ui/time/NativeMoment.tsx'
import { withTimeColumns } from '../../ui/time/TimeColumns.tsx'
import { type LogRange, lastDaysOf, logWindow } from './logRange.ts'
import styles from './logs.module.css'
import { logTexts } from './logs.texts.ts'

const { fields, range: words } = logTexts
const format = 'YYYY-MM-DD HH:mm:ss'
const presetDays = [1, 3, 7, 15]

export interface LogRangeInputProps {
  id?: string
  value?: Partial<LogRange> | undefined
  onChange?: (value: Partial<LogRange> | undefined) => void
}

export function LogRangeInput({ id, value, onChange }: LogRangeInputProps) {
  const now = serverNow()
  const { first, last } = logWindow(now)
  return (
    <>
      <span className={styles.moments}>
        {(['startTime', 'endTime'] as const).map((end) => (
          <Moment
            key={end}
            id={end === 'startTime' ? id : undefined}
            end={end}
            first={first}
            last={last}
            value={value?.[end]}
            onChange={(time) => onChange?.({ ...value, [end]: time })}
          />
        ))}
      </span>
      <span className={styles.presets}>
        {presetDays.map((days) => (
          <button
            key={days}
            type="button"
            className="link-button tap"
            onClick={() => onChange?.(lastDaysOf(days, now))}
          >
            {words.preset(days)}
          </button>
        ))}
      </span>
    </>
  )
}

interface MomentProps {
  id: string | undefined
  end: keyof LogRange
  /** The first and last selectable day. */
  first: string
  last: string
  value: string | undefined
  onChange: (time: string | undefined) => void
}

function Moment({ id, end, first, last, value, onChange }: MomentProps) {
  const isMobile = useMedia(mobileQuery)
  if (isMobile) {
    return (
      <NativeMoment
        id={id}
        label={fields[end]}
        placeholder={fields[end]}
        hasTime
        min={`${first}T00:00:00`}
        max={`${last}T23:59:59`}
        value={value?.replace(' ', 'T') ?? ''}
        onChange={(moment) => {
          const at = dayjs(moment)
          onChange(at.isValid() ? at.format(format) : undefined)
        }}
      />
    )
  }
  return (
    <DatePicker
      {...(id !== undefined && { id })}
      aria-label={fields[end]}
      className={styles.control ?? ''}
      {...withTimeColumns}
      format={format}
      needConfirm={false}
      allowClear={false}
      showTime={{ defaultOpenValue: end === 'startTime' ? dayjs().startOf('day') : dayjs().endOf('day') }}
      minDate={dayjs(first)}
      maxDate={dayjs(last).endOf('day')}
      placeholder={fields[end]}
      value={value ? dayjs(value) : null}
      onChange={(at) => onChange(at?.format(format))}
    />
  )
}
