import { useQuery } from '@tanstack/react-query'
import { previewAlarmShelf } from '@voltkeep/contract/alarmShelves'
import type { DataFor, InputFor } from '@voltkeep/contract/endpoint'
import { formatCount } from '../../../lib/format.ts'
import { reading } from '../../../lib/wire/reading.ts'
import styles from '../alarms.module.css'
import { shelfTexts } from './shelves.texts.ts'

export type Preview = DataFor<typeof previewAlarmShelf>

/** What a shelf as it stands in the form would keep quiet now; undefined while the form is not complete. */
export function useShelfPreview(input: InputFor<typeof previewAlarmShelf> | undefined): Preview | undefined {
  const { data, isPlaceholderData } = useQuery({
    ...reading(previewAlarmShelf, input ?? {}),
    enabled: input !== undefined,
    retry: false,
    staleTime: 5_000,
    meta: { isQuiet: true },
  })
  return input === undefined || isPlaceholderData ? undefined : data
}

/** How many devices and alarms it covers now, and when a window comes next. */
export function ShelfPreview({ preview }: { preview: Preview | undefined }) {
  if (!preview) return null
  const { deviceCount, alarmCount, next } = preview
  return (
    <div className={styles.hint} role="status">
      <p>{shelfTexts.effect(formatCount(deviceCount), formatCount(alarmCount))}</p>
      {next.length > 0 && (
        <p>
          {shelfTexts.next}
          {next.map((one) => (
            <span key={one.startTime}>
              <br />
              {one.localStartTime} – {one.localEndTime}
            </span>
          ))}
        </p>
      )}
    </div>
  )
}
