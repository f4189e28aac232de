// The steps of a rule's escalation, as one field of its form.
import { Button, InputNumber, Select } from 'antd'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import styles from './notifications.module.css'
import { notificationTexts } from './notifications.texts.ts'
import { ChannelChoice, DutyChoice, PersonChoice, RoleChoice } from './ReceiverFields.tsx'

const { steps: words, rules } = notificationTexts
const stepsAtMost = 5

interface Step {
  afterMinutes: number
  unless: 'acknowledged' | 'closed'
  channelIds?: string[]
  userIds?: string[]
  roleIds?: string[]
  dutyId?: string | undefined
}

export default function StepsInput({
  value = [],
  onChange,
}: {
  value?: Step[]
  onChange?: (steps: Step[]) => void
}) {
  const change = (at: number, part: Partial<Step>) =>
    onChange?.(value.map((step, index) => (index === at ? { ...step, ...part } : step)))
  const add = () => {
    const last = value.at(-1)?.afterMinutes ?? 0
    onChange?.([...value, { afterMinutes: last + 5, unless: 'acknowledged' }])
  }
  return (
    <div className={styles.steps}>
      {value.map((step, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is what stands at its place
        <fieldset key={at} className={styles.step}>
          <legend>{words.title(at + 1)}</legend>
          <div className={styles.stepHead}>
            <InputNumber
              aria-label={words.after}
              min={1}
              max={1_440}
              precision={0}
              suffix={words.minutes}
              value={step.afterMinutes}
              onChange={(afterMinutes) => change(at, { afterMinutes: afterMinutes ?? 1 })}
            />
            <Select
              aria-label={words.unless}
              value={step.unless}
              options={choicesOf(['acknowledged', 'closed'] as const, words.conditions)}
              onChange={(unless) => change(at, { unless })}
            />
            <Button onClick={() => onChange?.(value.filter((_, index) => index !== at))}>
              {words.remove}
            </Button>
          </div>
          <ChannelChoice
            aria-label={`${words.title(at + 1)} ${rules.fields.channels}`}
            placeholder={rules.fields.channels}
            value={step.channelIds ?? []}
            onChange={(channelIds) => change(at, { channelIds })}
          />
          <PersonChoice<string[]>
            aria-label={`${words.title(at + 1)} ${rules.fields.users}`}
            placeholder={rules.fields.users}
            value={step.userIds ?? []}
            onChange={(userIds) => change(at, { userIds })}
          />
          <div className={styles.pair}>
            <RoleChoice
              aria-label={`${words.title(at + 1)} ${rules.fields.roles}`}
              placeholder={rules.fields.roles}
              value={step.roleIds ?? []}
              onChange={(roleIds) => change(at, { roleIds })}
            />
            <DutyChoice
              aria-label={`${words.title(at + 1)} ${rules.fields.duty}`}
              placeholder={rules.fields.duty}
              value={step.dutyId as string}
              onChange={(dutyId) => change(at, { dutyId })}
            />
          </div>
        </fieldset>
      ))}
      {value.length < stepsAtMost && (
        <Button className={styles.whole} onClick={add}>
          {words.add}
        </Button>
      )}
    </div>
  )
}
