// The form of a rule.
import { useQuery } from '@tanstack/react-query'
import { alarmLevels } from '@voltkeep/contract/dictionary'
import {
  insertNotifyRule,
  listNotifyRules,
  type NotifyRuleRow,
  nameNotifyChannels,
  ruleEvents,
  updateNotifyRule,
} from '@voltkeep/contract/notifications'
import { Checkbox, Input, InputNumber } from 'antd'
import { texts } from '../../lib/texts/index.ts'
import { call } from '../../lib/wire/call.ts'
import { reading } from '../../lib/wire/reading.ts'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import { EquipTypeChoice, OperatorChoice } from '../../ui/choices/PlaceChoices.tsx'
import RegionCascader from '../../ui/choices/RegionCascader.tsx'
import { FlagSwitch } from '../../ui/form/FlagSwitch.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import styles from './notifications.module.css'
import { notificationTexts } from './notifications.texts.ts'
import { ChannelChoice, DutyChoice, FallbackChoice, PersonChoice, RoleChoice } from './ReceiverFields.tsx'
import StepsInput from './StepsInput.tsx'

const { rules, events, all } = notificationTexts
const { fields } = rules

/** Adds a rule, or changes one: from then on it is its editor's. */
export default function RuleDialog({
  rule,
  onClose,
}: {
  rule?: NotifyRuleRow | undefined
  onClose: () => void
}) {
  const channels = useQuery(reading(nameNotifyChannels, {}))
  const readPresent = async (changed: NotifyRuleRow) => {
    const { rows } = await call(listNotifyRules, { ids: [changed.id] })
    return valuesOf(rows[0] ?? changed)
  }
  return (
    <FormDialog
      title={rule ? rules.editTitle(rule.name) : rules.add}
      endpoint={rule ? updateNotifyRule : insertNotifyRule}
      stale={[listNotifyRules]}
      initial={
        rule
          ? valuesOf(rule)
          : {
              when: ['raised', 'recovered'],
              alarmLevels: [1],
              groupWaitS: 30,
              offlineMinutes: 10,
              repeatS: 0,
              isEnabled: 1,
            }
      }
      readPresent={rule && (() => readPresent(rule))}
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          <Field name="name" label={fields.name}>
            <Input maxLength={64} autoComplete="off" />
          </Field>
          <Field name="when" label={fields.when} hint={rules.whenHint}>
            <Checkbox.Group options={choicesOf(ruleEvents, events)} />
          </Field>
          <Field name="alarmLevels" label={fields.levels} hint={rules.levelsHint}>
            <Checkbox.Group options={choicesOf(alarmLevels, texts.states.levels)} />
          </Field>
          <Field name="filter.regionCode" label={fields.region} hint={rules.filterHint}>
            <RegionCascader placeholder={all} />
          </Field>
          <div className={styles.pair}>
            <Field name="filter.operatorId" label={fields.operator}>
              <OperatorChoice allowClear placeholder={all} />
            </Field>
            <Field name="filter.equipTypeId" label={fields.equipType}>
              <EquipTypeChoice allowClear placeholder={all} />
            </Field>
          </div>
          <Field
            name="channelIds"
            label={fields.channels}
            hint={channels.data?.length === 0 ? rules.channelsNone : undefined}
            dependsOn={['userIds', 'roleIds', 'dutyId']}
          >
            <ChannelChoice />
          </Field>
          <Field name="userIds" label={fields.users} hint={rules.peopleHint}>
            <PersonChoice<string[]> />
          </Field>
          <div className={styles.pair}>
            <Field name="roleIds" label={fields.roles}>
              <RoleChoice />
            </Field>
            <Field name="dutyId" label={fields.duty}>
              <DutyChoice />
            </Field>
          </div>
          <Field
            name="fallbackChannelId"
            label={fields.fallback}
            hint={rules.fallbackHint}
            dependsOn={['channelIds']}
          >
            <FallbackChoice />
          </Field>
          <Field name="steps" label={fields.steps} hint={rules.stepsHint}>
            <StepsInput />
          </Field>
          <Field name="repeatS" label={fields.repeat} hint={rules.repeatHint}>
            <InputNumber min={0} max={86_400} precision={0} />
          </Field>
          <Field name="groupWaitS" label={fields.wait} hint={rules.waitHint}>
            <InputNumber min={0} max={3_600} precision={0} />
          </Field>
          <Field name="offlineMinutes" label={fields.offline} hint={rules.offlineHint}>
            <InputNumber min={1} max={1_440} precision={0} />
          </Field>
          <div className={styles.pair}>
            <Field name="quietFrom" label={fields.quietFrom} hint={rules.quietHint}>
              <Input maxLength={5} autoComplete="off" placeholder="22:00" />
            </Field>
            <Field name="quietTo" label={fields.quietTo} dependsOn={['quietFrom']}>
              <Input maxLength={5} autoComplete="off" placeholder="07:00" />
            </Field>
          </div>
          <Field name="isEnabled" label={fields.isEnabled} hint={rules.ownerHint}>
            <FlagSwitch />
          </Field>
        </>
      )}
    </FormDialog>
  )
}

interface ShownTargets {
  channelIds: string[]
  userIds: string[]
  roleIds: string[]
  dutyId: string | null
}
const targetsOf = ({ channelIds, userIds, roleIds, dutyId }: ShownTargets) => ({
  channelIds,
  userIds,
  roleIds,
  ...(dutyId !== null && { dutyId }),
})

const valuesOf = (rule: NotifyRuleRow) => ({
  id: rule.id,
  version: rule.version,
  name: rule.name,
  when: rule.when,
  alarmLevels: rule.alarmLevels,
  filter: rule.filter,
  ...targetsOf(rule),
  ...(rule.fallbackChannelId !== null && { fallbackChannelId: rule.fallbackChannelId }),
  steps: rule.steps.map((step) => ({
    afterMinutes: step.afterMinutes,
    unless: step.unless,
    ...targetsOf(step),
  })),
  repeatS: rule.repeatS,
  groupWaitS: rule.groupWaitS,
  offlineMinutes: rule.offlineMinutes,
  quietFrom: rule.quietFrom,
  quietTo: rule.quietTo,
  isEnabled: rule.isEnabled,
})
