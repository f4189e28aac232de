import { DatePicker } from 'antd'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'
import { serverNow } from '../../../lib/clock.ts'
import { texts } from '../../../lib/texts/index.ts'
import { withTimeColumns } from '../../time/TimeColumns.tsx'
import styles from './filters.module.css'
import { presetsAt } from './ranges.ts'

dayjs.locale('zh-cn')

export interface DateRangeProps {
  id: string
  describedBy: string | undefined
  hasProblem: boolean
  /** To the second rather than whole days. */
  hasTime: boolean
  /** The usual ranges stand in the calendar. */
  hasPresets?: boolean
  from: string | undefined
  until: string | undefined
  onChange: (from: string | undefined, until: string | undefined) => void
}

const dayFormat = 'YYYY-MM-DD'
const timeFormat = 'YYYY-MM-DD HH:mm:ss'
const wholeDay = [dayjs().startOf('day'), dayjs().endOf('day')] as [dayjs.Dayjs, dayjs.Dayjs]

/** Lazy: the calendar is the heaviest of the filters. Phones and tablets use `NativeRange` instead. */
export default function DateRange({
  id,
  describedBy,
  hasProblem,
  hasTime,
  hasPresets = false,
  from,
  until,
  onChange,
}: DateRangeProps) {
  const format = hasTime ? timeFormat : dayFormat
  return (
    <DatePicker.RangePicker
      id={{ start: id, end: `${id}-end` }}
      aria-describedby={describedBy}
      className={styles.control ?? ''}
      status={hasProblem ? 'error' : ''}
      format={format}
      {...(hasTime && withTimeColumns)}
      showTime={hasTime ? { defaultOpenValue: wholeDay } : false}
      value={[from ? dayjs(from) : null, until ? endOf(until) : null]}
      allowEmpty={[true, true]}
      presets={hasPresets ? usualRanges() : []}
      placeholder={[texts.list.from, texts.list.until]}
      onChange={(days) =>
        onChange(days?.[0]?.format(format) ?? undefined, days?.[1]?.format(format) ?? undefined)
      }
    />
  )
}

const usualRanges = () =>
  presetsAt(serverNow()).map(({ label, first, last }) => ({
    label,
    value: [dayjs(first), dayjs(last)] as [dayjs.Dayjs, dayjs.Dayjs],
  }))

/** A bare date as a range's end means the end of its day. */
function endOf(until: string): dayjs.Dayjs {
  return until.length === dayFormat.length ? dayjs(until).endOf('day') : dayjs(until)
}
