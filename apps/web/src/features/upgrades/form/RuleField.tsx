// The rule of an upgrade task as a form control: its numbers, which suit any fleet as they are.
import { UpgradeRule } from '@voltkeep/contract/upgrades'
import { Checkbox, InputNumber, Radio } from 'antd'
import type { ReactNode } from 'react'
import { DateTimeInput } from '../../../ui/form/DateTimeInput.tsx'
import styles from '../upgrades.module.css'
import { upgradeTexts } from '../upgrades.texts.ts'
import { firstOwnStages, type Stages, StagesEditor } from './StagesEditor.tsx'

const words = upgradeTexts.rule
const usual = UpgradeRule.parse({})

export function RuleField({
  id,
  value = usual,
  onChange,
}: {
  id?: string
  value?: UpgradeRule | undefined
  onChange?: (rule: UpgradeRule) => void
}) {
  const set = (changed: Partial<UpgradeRule>) => onChange?.({ ...value, ...changed })
  const number = (
    name: 'pacePerMinute' | 'failurePercent' | 'minSample' | 'attempts' | 'intervalMinutes',
    most: number,
    label: string,
  ) => (
    <InputNumber
      aria-label={label}
      className={styles.number ?? ''}
      min={1}
      max={most}
      precision={0}
      value={value[name]}
      onChange={(next) => set({ [name]: next ?? usual[name] })}
    />
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would take the field's label for nothing
    <div id={id} role="group" aria-label={upgradeTexts.fields.rule} className={styles.rule}>
      <p className={styles.quiet}>{upgradeTexts.form.usual}</p>
      <div className={styles.ruleFields}>
        <Line label={words.stages}>
          <Radio.Group
            value={value.stages === undefined ? 'usual' : 'own'}
            onChange={({ target }) =>
              set({ stages: target.value === 'own' ? [...firstOwnStages] : undefined })
            }
            options={[
              { value: 'usual', label: words.usualStages },
              { value: 'own', label: words.ownStages },
            ]}
          />
        </Line>
        {value.stages && (
          <StagesEditor stages={value.stages} onChange={(stages: Stages) => set({ stages })} />
        )}
        <Line label={words.pace}>
          {number('pacePerMinute', 100_000, words.pace)} {words.devices}
        </Line>
        <Line label={words.failure}>
          {number('failurePercent', 100, words.failure)} % {words.failureAfter}{' '}
          {number('minSample', 10_000, words.sample)}
        </Line>
        <Line label={words.attempts}>
          {number('attempts', 10, words.attempts)} {words.times}{' '}
          {number('intervalMinutes', 1_440, words.interval)} {words.minutes}
        </Line>
        <Line label={words.alarms}>
          <Checkbox checked={!value.skipGate} onChange={({ target }) => set({ skipGate: !target.checked })}>
            {words.gate}
          </Checkbox>
        </Line>
        <Line label={words.endTime}>
          <DateTimeInput
            endsDay
            label={words.endTime}
            value={value.endTime}
            onChange={(endTime) => set({ endTime })}
          />
          <span className={styles.quiet}>{words.endHint}</span>
        </Line>
      </div>
    </div>
  )
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={styles.ruleLine}>
      <span className={styles.ruleLabel}>{label}</span>
      <span className={styles.ruleValue}>{children}</span>
    </div>
  )
}
