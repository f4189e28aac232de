// A moment of a form.
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
/** The value that stands for the moment of sending: the one of the press would be past by then. */
export const presentMoment = 'now'
/** The value as it is sent. */
export const sentMoment = (value: string) =>
  value === presentMoment ? dayjs(serverNow()).format(format) : value
/** When devices are used least. */
const nightHour = 2

export interface DateTimeInputProps {
  id?: string
  label?: string
  value?: string | undefined
  onChange?: (value: string | undefined) => void
  /** A day chosen without a time means the end of that day. */
  endsDay?: boolean
  /** Offers the present moment and the coming night; the value may be `presentMoment`. */
  hasPresets?: boolean
}

/** A moment of a form, as the wire writes it. On a phone the system's own calendar, which fits the screen. */
export function DateTimeInput({ hasPresets = false, ...props }: DateTimeInputProps) {
  const isMobile = useMedia(mobileQuery)
  const isNow = props.value === presentMoment
  const shown = isNow ? { ...props, value: undefined, placeholder: texts.time.nowChosen } : props
  const control = isMobile ? <NativeInput {...shown} /> : <Picker {...shown} />
  if (!hasPresets) return control
  return (
    <span className={styles.withPresets}>
      {control}
      {presetsAt(dayjs(serverNow())).map(({ label, at }) => (
        <button
          key={label}
          type="button"
          className="link-button"
          aria-pressed={props.value === at}
          onClick={() => props.onChange?.(at)}
        >
          {label}
        </button>
      ))}
    </span>
  )
}

type ControlProps = DateTimeInputProps & { placeholder?: string }

function Picker({ id, label, value, onChange, endsDay = false, placeholder }: ControlProps) {
  const usual = endsDay ? dayjs().endOf('day') : dayjs().startOf('day')
  return (
    <DatePicker
      id={id ?? ''}
      {...(label !== undefined && { 'aria-label': label })}
      {...(placeholder !== undefined && { placeholder })}
      {...withTimeColumns}
      format={format}
      needConfirm={false}
      showTime={{ defaultOpenValue: usual }}
      className={styles.control ?? ''}
      value={value === undefined ? null : dayjs(value)}
      // It ends the typing of a moment: the form has more to be filled in.
      onKeyDown={(event) => {
        withTimeColumns.onKeyDown(event)
        if (event.key === 'Enter') event.preventDefault()
      }}
      onChange={(day) => onChange?.(day ? day.format(format) : undefined)}
    />
  )
}

function NativeInput({ id, label, value, onChange, placeholder = texts.time.choose }: ControlProps) {
  return (
    <span className={styles.control}>
      <NativeMoment
        id={id}
        label={label}
        placeholder={placeholder}
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
    { label: texts.time.now, at: presentMoment },
    { label: texts.time.night, at: tonight.format(format) },
  ]
}
