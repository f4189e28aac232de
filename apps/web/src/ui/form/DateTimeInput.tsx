import { DatePicker } from 'antd'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'
import { mobileQuery, useMedia } from '../../lib/browser/media.ts'
import { serverNow } from '../../lib/clock.ts'
import { texts } from '../../lib/texts/index.ts'
import { NativeMoment } from '../time/NativeMoment.tsx'
import { withTimeColumns } from '../time/TimeColumns.tsx'
import styles from './DateTimeInput.module.css'

const format = 'YYYY-MM-DD HH:mm:ss'
/** When devices are used least. */
const nightHour = 2

export interface DateTimeInputProps {
  id?: string
  label?: string
  value?: string | undefined
  onChange?: (value: string | undefined) => void
  /** A day chosen without a time means the end of that day. */
  endsDay?: boolean
  /** Offers the present moment and the coming night. */
  hasPresets?: boolean
}

/** A moment of a form, as the wire writes it. On a phone the system's own calendar, which fits the screen. */
export function DateTimeInput({ hasPresets = false, ...props }: DateTimeInputProps) {
  const isMobile = useMedia(mobileQuery)
  const control = isMobile ? <NativeInput {...props} /> : <Picker {...props} />
  if (!hasPresets) return control
  return (
    <span className={styles.withPresets}>
      {control}
      {presetsAt(dayjs(serverNow())).map(({ label, at }) => (
        <button
          key={label}
          type="button"
          className="link-button"
          onClick={() => props.onChange?.(at.format(format))}
        >
          {label}
        </button>
      ))}
    </span>
  )
}

function Picker({ id, label, value, onChange, endsDay = false }: DateTimeInputProps) {
  const usual = endsDay ? dayjs().endOf('day') : dayjs().startOf('day')
  return (
    <DatePicker
      id={id ?? ''}
      {...(label !== undefined && { 'aria-label': label })}
      {...withTimeColumns}
      format={format}
      needConfirm={false}
      showTime={{ defaultOpenValue: usual }}
      className={styles.control ?? ''}
      value={value === undefined ? null : dayjs(value)}
      onChange={(day) => onChange?.(day ? day.format(format) : undefined)}
    />
  )
}

function NativeInput({ id, label, value, onChange }: DateTimeInputProps) {
  return (
    <span className={styles.control}>
      <NativeMoment
        id={id}
        label={label}
        placeholder={texts.time.choose}
        hasTime
        value={value?.replace(' ', 'T') ?? ''}
        onChange={(moment) => {
          const day = dayjs(moment)
          onChange?.(day.isValid() ? day.format(format) : undefined)
        }}
      />
    </span>
  )
}

function presetsAt(now: dayjs.Dayjs) {
  const tonight = now
    .startOf('day')
    .add(now.hour() < nightHour ? 0 : 1, 'day')
    .hour(nightHour)
  return [
    { label: texts.time.now, at: now },
    { label: texts.time.night, at: tonight },
  ]
}
