import { Checkbox, InputNumber } from 'antd'
import styles from '../parameterBatches.module.css'
import { batchTexts } from '../parameterBatches.texts.ts'

const words = batchTexts.form.trial
const usualCount = 5

interface TrialValue {
  count?: number | null
  autoMinutes?: number | null
}

/** Whether a few devices go first, how many, and whether the others follow by themselves. */
export function TrialField({
  id,
  value,
  onChange,
}: {
  /** Set by the form's field. */
  id?: string
  value?: TrialValue | undefined
  onChange?: (value: TrialValue | undefined) => void
}) {
  const set = (part: TrialValue) => onChange?.({ ...value, ...part })
  return (
    <div className={styles.trial}>
      <Checkbox
        {...(id !== undefined && { id })}
        checked={value !== undefined}
        onChange={({ target }) => onChange?.(target.checked ? { count: usualCount } : undefined)}
      >
        {words.choose}
      </Checkbox>
      {value && (
        <>
          <span className={styles.trialPart}>
            {words.first}
            <InputNumber
              aria-label={words.count}
              value={value.count ?? null}
              precision={0}
              onChange={(count) => set({ count })}
              suffix={words.unit}
            />
          </span>
          <span className={styles.trialPart}>
            {words.afterwards}
            <InputNumber
              className={styles.automatic ?? ''}
              aria-label={words.auto}
              value={value.autoMinutes ?? null}
              precision={0}
              placeholder={words.byHand}
              onChange={(autoMinutes) => set({ autoMinutes: autoMinutes ?? undefined } as TrialValue)}
              suffix={words.minutes}
            />
          </span>
        </>
      )}
    </div>
  )
}
