import { mobileQuery, useMedia } from '../../lib/media.ts'
import { texts } from '../../lib/texts/index.ts'
import { useNow } from '../RelativeTime.tsx'
import { useIsChip } from './chips.tsx'
import styles from './filters.module.css'
import { presetsAt } from './ranges.ts'
import type { Draft } from './useDraft.ts'

/**
 * The usual ranges, in sight beside a `RangeFilter`: one press applies all filters with it. A phone's range has them
 * as its own.
 */
export function RangePresets({ of: draft }: { of: Draft }) {
  const isMobile = useMedia(mobileQuery)
  const now = useNow()
  if (useIsChip() || isMobile) return null
  const { startTime, endTime } = draft.values
  return (
    <fieldset className={styles.quick}>
      <legend className="visually-hidden">{texts.list.quickRanges}</legend>
      {presetsAt(now).map(({ label, first, last }) => (
        <button
          key={label}
          type="button"
          aria-pressed={startTime === first && endTime === last}
          onClick={() => draft.submit({ startTime: first, endTime: last })}
        >
          {label}
        </button>
      ))}
    </fieldset>
  )
}
