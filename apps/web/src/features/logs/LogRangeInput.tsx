import { DatePicker, Input } from 'antd'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'
import { serverNow } from '../../lib/clock.ts'
import { mobileQuery, useMedia } from '../../lib/media.ts'
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

/** From when to when, within the days that there are logs of. On a phone by the system's own calendar. */
export function LogRangeInput({ id, value, onChange }: LogRangeInputProps) {
  const isMobile = useMedia(mobileQuery)
  const now = serverNow()
  const { first, last } = logWindow(now)
  return (
    <>
      {isMobile ? (
        <span className={styles.moments}>
          {(['startTime', 'endTime'] as const).map((end) => (
            <Input
              key={end}
              {...(id !== undefined && end === 'startTime' && { id })}
              aria-label={fields[end]}
              type="datetime-local"
              step={1}
              min={`${first}T00:00:00`}
              max={`${last}T23:59:59`}
              value={value?.[end]?.replace(' ', 'T') ?? ''}
              onChange={({ target }) => {
                const at = dayjs(target.value)
                onChange?.({ ...value, [end]: at.isValid() ? at.format(format) : undefined })
              }}
            />
          ))}
        </span>
      ) : (
        <DatePicker.RangePicker
          {...(id !== undefined && { id: { start: id, end: `${id}-end` } })}
          className={styles.control ?? ''}
          format={format}
          needConfirm={false}
          allowClear={false}
          showTime={{ defaultOpenValue: [dayjs().startOf('day'), dayjs().endOf('day')] }}
          minDate={dayjs(first)}
          maxDate={dayjs(last).endOf('day')}
          placeholder={[fields.startTime, fields.endTime]}
          value={[
            value?.startTime ? dayjs(value.startTime) : null,
            value?.endTime ? dayjs(value.endTime) : null,
          ]}
          onChange={(days) =>
            onChange?.({ startTime: days?.[0]?.format(format), endTime: days?.[1]?.format(format) })
          }
        />
      )}
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
