// Whether a batch begins with a trial: how many devices or which, and whether the others follow by themselves.
import { trialDevicesLimit } from '@voltkeep/contract/parameterBatches'
import { Checkbox, InputNumber, Radio } from 'antd'
import { useId, useState } from 'react'
import { CodeBox } from '../../../ui/list/filter/CodeBox.tsx'
import { codesOf } from '../../../ui/list/filter/codes.ts'
import styles from '../parameterBatches.module.css'
import { batchTexts } from '../parameterBatches.texts.ts'

const words = batchTexts.form.trial
const usualCount = 5

interface TrialValue {
  count?: number | null | undefined
  /** Comma-joined. */
  codes?: string | undefined
  autoMinutes?: number | undefined
}

/** Whether a few devices go first, how many or which, and whether the others follow by themselves. */
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
  const codesId = useId()
  // The input of either way stays while the other one is shown.
  const [count, setCount] = useState<number | null>(value?.count ?? usualCount)
  const [codes, setCodes] = useState(value?.codes ?? '')
  const isByCodes = value?.codes !== undefined
  const give = (first: Pick<TrialValue, 'count' | 'codes'>, autoMinutes = value?.autoMinutes) =>
    onChange?.({ ...first, ...(autoMinutes !== undefined && { autoMinutes }) })
  const first = isByCodes ? { codes } : { count }
  return (
    <div className={styles.trial}>
      <Checkbox
        {...(id !== undefined && { id })}
        checked={value !== undefined}
        onChange={({ target }) => (target.checked ? give(first) : onChange?.(undefined))}
      >
        {words.choose}
      </Checkbox>
      {value && (
        <>
          <Radio.Group
            aria-label={words.which}
            value={isByCodes ? 'codes' : 'count'}
            onChange={({ target }) => give(target.value === 'codes' ? { codes } : { count })}
            options={[
              { value: 'count', label: words.byCount },
              { value: 'codes', label: words.byCodes },
            ]}
          />
          {isByCodes ? (
            <div className={styles.trialCodes}>
              <label htmlFor={codesId} className="visually-hidden">
                {words.codes}
              </label>
              <CodeBox
                id={codesId}
                value={codesOf(codes)}
                onChange={(next) => {
                  setCodes(next.join())
                  give({ codes: next.join() })
                }}
              />
              <p className={styles.quiet}>{words.codesHint(trialDevicesLimit)}</p>
            </div>
          ) : (
            <span className={styles.trialPart}>
              {words.first}
              <InputNumber
                aria-label={words.count}
                value={count}
                precision={0}
                onChange={(next) => {
                  setCount(next)
                  give({ count: next })
                }}
              />
              {words.unit}
              <span className={styles.quiet}>{words.countHint}</span>
            </span>
          )}
          <span className={styles.trialPart}>
            {words.afterwards}
            <InputNumber
              className={styles.automatic ?? ''}
              aria-label={words.auto}
              value={value.autoMinutes ?? null}
              precision={0}
              placeholder={words.byHand}
              onChange={(minutes) =>
                onChange?.({ ...first, ...(minutes !== null && { autoMinutes: minutes }) })
              }
            />
            {words.minutes}
          </span>
        </>
      )}
    </div>
  )
}
