// The form of a report that comes by mail.
import { useQuery } from '@tanstack/react-query'
import {
  insertReportSubscription,
  listReportSubscriptions,
  nameMailChannels,
  type ReportSubscriptionRow,
  reportCadences,
  reportKinds,
  updateReportSubscription,
} from '@voltkeep/contract/reportSubscriptions'
import { alarmGroupNames, availabilityGroupNames } from '@voltkeep/contract/reports'
import { Input, Select } from 'antd'
import { call } from '../../lib/wire/call.ts'
import { reading } from '../../lib/wire/reading.ts'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import { EquipTypeChoice, OperatorChoice } from '../../ui/choices/PlaceChoices.tsx'
import RegionCascader from '../../ui/choices/RegionCascader.tsx'
import { unread } from '../../ui/choices/Unread.tsx'
import { FlagSwitch } from '../../ui/form/FlagSwitch.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import type { TypedForm } from '../../ui/form/form.types.ts'
import { useFieldValue } from '../../ui/form/useFieldValue.ts'
import { SearchSelect } from '../../ui/typed/SearchSelect.tsx'
import styles from './reports.module.css'
import { reportTexts } from './reports.texts.ts'

const words = reportTexts.subscriptions
const { fields } = words
const hours = Array.from({ length: 24 }, (_, hour) => ({ value: hour, label: words.hourOption(hour) }))

type Given = Pick<ReportSubscriptionRow, 'kind' | 'groupBy' | 'filter'>

/** Adds a subscription, with what a report shows to begin with; or changes one, which is its editor's from then on. */
export default function SubscriptionDialog({
  subscription,
  given,
  onClose,
}: {
  subscription?: ReportSubscriptionRow | undefined
  given?: Given | undefined
  onClose: () => void
}) {
  const channels = useQuery(reading(nameMailChannels, {}))
  const readPresent = async (changed: ReportSubscriptionRow) => {
    const { rows } = await call(listReportSubscriptions, { ids: [changed.id] })
    return valuesOf(rows[0] ?? changed)
  }
  return (
    <FormDialog
      title={subscription ? words.editTitle(subscription.name) : words.add}
      endpoint={subscription ? updateReportSubscription : insertReportSubscription}
      stale={[listReportSubscriptions]}
      initial={
        subscription
          ? valuesOf(subscription)
          : {
              kind: 'alarm',
              groupBy: 'operator',
              every: 'month',
              hour: 8,
              timeZone: 'Asia/Shanghai',
              isEnabled: 1,
              ...given,
            }
      }
      readPresent={subscription && (() => readPresent(subscription))}
      onClose={onClose}
    >
      {(form) => {
        const { Field } = form
        return (
          <>
            <Field name="name" label={fields.name}>
              <Input maxLength={64} autoComplete="off" />
            </Field>
            <div className={styles.pair}>
              <Field name="kind" label={fields.kind}>
                <Select options={choicesOf(reportKinds, words.kinds)} />
              </Field>
              <Field name="groupBy" label={fields.groupBy} dependsOn={['kind']}>
                <GroupChoice form={form} />
              </Field>
            </div>
            <div className={styles.pair}>
              <Field name="every" label={fields.every} hint={words.everyHint}>
                <Select options={choicesOf(reportCadences, words.cadences)} />
              </Field>
              <Field name="hour" label={fields.hour}>
                <Select options={hours} />
              </Field>
            </div>
            <Field name="timeZone" label={fields.timeZone}>
              <Input maxLength={64} autoComplete="off" />
            </Field>
            <Field name="filter.regionCode" label={fields.region} hint={words.filterHint}>
              <RegionCascader placeholder={words.all} />
            </Field>
            <div className={styles.pair}>
              <Field name="filter.operatorId" label={fields.operator}>
                <OperatorChoice allowClear placeholder={words.all} />
              </Field>
              <Field name="filter.equipTypeId" label={fields.equipType}>
                <EquipTypeChoice allowClear placeholder={words.all} />
              </Field>
            </div>
            <Field
              name="channelId"
              label={fields.channel}
              hint={channels.data?.length === 0 ? words.channelNone : words.channelHint}
            >
              <SearchSelect
                loading={channels.isPending}
                notFoundContent={unread(channels)}
                placeholder={words.choose}
                options={(channels.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
              />
            </Field>
            <Field name="isEnabled" label={fields.isEnabled} hint={words.ownerHint}>
              <FlagSwitch />
            </Field>
          </>
        )
      }}
    </FormDialog>
  )
}

/** How the chosen report may be grouped. */
function GroupChoice({ form, ...control }: { form: TypedForm<typeof insertReportSubscription.input> }) {
  const kind = useFieldValue(form, 'kind')
  const names = kind === 'availability' ? availabilityGroupNames : alarmGroupNames
  return <Select {...control} options={Object.entries(names).map(([value, label]) => ({ value, label }))} />
}

const valuesOf = ({
  id,
  version,
  name,
  kind,
  groupBy,
  filter,
  every,
  hour,
  timeZone,
  channelId,
  isEnabled,
}: ReportSubscriptionRow) => ({
  id,
  version,
  name,
  kind,
  groupBy,
  filter,
  every,
  hour,
  timeZone,
  channelId,
  isEnabled,
})
