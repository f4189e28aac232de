import { DatePicker } from 'antd'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'

const format = 'YYYY-MM-DD HH:mm:ss'

/** A moment of a form, as the wire writes it. */
export function DateTimeInput({
  id,
  value,
  onChange,
  endsDay = false,
}: {
  id?: string
  value?: string | undefined
  onChange?: (value: string | undefined) => void
  /** A day chosen without a time is meant to its end. */
  endsDay?: boolean
}) {
  const usual = endsDay ? dayjs().endOf('day') : dayjs().startOf('day')
  return (
    <DatePicker
      id={id ?? ''}
      format={format}
      needConfirm={false}
      showTime={{ defaultOpenValue: usual }}
      style={{ width: '100%' }}
      value={value === undefined ? null : dayjs(value)}
      onChange={(day) => onChange?.(day ? day.format(format) : undefined)}
    />
  )
}
