import { mobileQuery, useMedia } from '../../../lib/browser/media.ts'
import { texts } from '../../../lib/texts/index.ts'
import { useNow } from '../../time/RelativeTime.tsx'
import type { Draft } from '../useDraft.ts'
import styles from './filters.module.css'
import { presetsAt, toMoment } from './ranges.ts'

/** The usual ranges beside a range: one press applies all filters with it. On a phone the range has them itself. */
export function RangePresets({ of: draft }: { of: Draft }) {
  const isMobile = useMedia(mobileQuery)
  const now = useNow()
  if (isMobile) return null
  const from = toMoment(draft.values.startTime as string | undefined, 'from')
  const until = toMoment(draft.values.endTime as string | undefined, 'until')
  return (
    <fieldset className={styles.quick}>
      <legend className="visually-hidden">{texts.list.quickRanges}</legend>
      {presetsAt(now).map(({ label, first, last }) => (
        <button
          key={label}
          type="button"
          aria-pressed={from === toMoment(first, 'from') && until === toMoment(last, 'until')}
          onClick={() => draft.submit({ startTime: first, endTime: last })}
        >
          {label}
        </button>
      ))}
    </fieldset>
  )
}
