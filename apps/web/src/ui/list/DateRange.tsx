import { DatePicker } from 'antd'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'
import { texts } from '../../lib/texts/index.ts'
import styles from './filters.module.css'

dayjs.locale('zh-cn')

interface DateRangeProps {
  id: string
  describedBy: string | undefined
  hasProblem: boolean
  from: string | undefined
  until: string | undefined
  onChange: (from: string | undefined, until: string | undefined) => void
}

const format = 'YYYY-MM-DD'

const today = () => dayjs().startOf('day')

/** Lazy: the calendar is the heaviest of the filters. */
export default function DateRange({ id, describedBy, hasProblem, from, until, onChange }: DateRangeProps) {
  return (
    <DatePicker.RangePicker
      id={{ start: id, end: `${id}-end` }}
      aria-describedby={describedBy}
      className={styles.control ?? ''}
      status={hasProblem ? 'error' : ''}
      format={format}
      value={[from ? dayjs(from) : null, until ? dayjs(until) : null]}
      allowEmpty={[true, true]}
      placeholder={[texts.list.from, texts.list.until]}
      presets={[
        { label: texts.list.ranges.today, value: () => [today(), today()] },
        { label: texts.list.ranges.week, value: () => [today().subtract(6, 'day'), today()] },
        { label: texts.list.ranges.month, value: () => [today().subtract(29, 'day'), today()] },
      ].map(({ label, value }) => ({ label, value: value() as [dayjs.Dayjs, dayjs.Dayjs] }))}
      onChange={(days) =>
        onChange(days?.[0]?.format(format) ?? undefined, days?.[1]?.format(format) ?? undefined)
      }
    />
  )
}
