// Shelving of alarms from their list: of one, with what it may be widened to, or of the chosen ones.
import { insertAlarmShelf, listAlarmShelves, shelfMinutes } from '@voltkeep/contract/alarmShelves'
import { compartmentsNamed } from '@voltkeep/contract/compartments'
import type { InputFor } from '@voltkeep/contract/endpoint'
import { integer, oneOf, text } from '@voltkeep/contract/fields'
import { Input, Radio, Select } from 'antd'
import * as z from 'zod/mini'
import { formatCount } from '../../../lib/format.ts'
import { notify } from '../../../lib/notices.ts'
import { FlagSwitch } from '../../../ui/form/FlagSwitch.tsx'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import styles from '../alarms.module.css'
import { handleTexts } from '../handle/handle.texts.ts'
import { countOf, type Handled, staleAfterDeed } from '../handle/handled.ts'
import { shelfTexts } from './shelves.texts.ts'

const { fields, scopes, until } = shelfTexts

const Form = z.object({
  scope: z._default(text('范围', 16), 'alarm'),
  minutes: integer('时长', 1, 1_440),
  isOneShot: z._default(oneOf('本次告警结束为止', [0, 1]), 0),
  reason: text('原因', 200),
})

export default function ShelveDialog({
  of,
  onDone,
  onClose,
}: {
  of: Handled
  onDone: () => void
  onClose: () => void
}) {
  const alarm = 'alarm' in of ? of.alarm : undefined
  const compartments = alarm ? compartmentsNamed(alarm) : []
  const [compartment] = compartments.length === 1 ? compartments : []
  const chosen = (scope: string): Partial<InputFor<typeof insertAlarmShelf>> => {
    if (!alarm) return 'ids' in of ? { ids: [...of.ids] } : {}
    if (scope === 'device') return { deviceCodes: [alarm.code] }
    if (scope === 'compartment') return { deviceCodes: [alarm.code], compartment }
    if (scope === 'code') return { filter: {}, semaphoreCodes: [alarm.semaphoreCode] }
    return { ids: [alarm.id] }
  }
  return (
    <FormDialog
      title={shelfTexts.titleOfOne}
      endpoint={insertAlarmShelf}
      schema={Form}
      toInput={({ scope, ...values }) =>
        ({ ...values, ...chosen(scope) }) as InputFor<typeof insertAlarmShelf>
      }
      stale={[listAlarmShelves, ...staleAfterDeed]}
      initial={{ scope: 'alarm', minutes: shelfMinutes, isOneShot: 0 }}
      isAnswerShown
      submitLabel={shelfTexts.go}
      onDone={({ approvalId }) => {
        if (approvalId) notify.info(shelfTexts.asked)
        else notify.success(handleTexts.done.shelve)
        onDone()
      }}
      onClose={onClose}
      intro={
        <p className={styles.hint}>
          {alarm
            ? handleTexts.aboutOne(alarm.code, alarm.semaphoreName)
            : handleTexts.aboutMany(formatCount(countOf(of)))}
          {shelfTexts.about}
        </p>
      }
    >
      {({ Field }) => (
        <>
          {alarm && (
            <Field name="scope" label={fields.scope} hint={shelfTexts.fire}>
              <Select
                options={[
                  { value: 'alarm', label: scopes.alarm },
                  ...(compartment === undefined
                    ? []
                    : [{ value: 'compartment', label: scopes.compartment(compartment) }]),
                  { value: 'device', label: scopes.device },
                  { value: 'code', label: scopes.code },
                ]}
              />
            </Field>
          )}
          <Field name="minutes" label={fields.minutes}>
            <Radio.Group
              optionType="button"
              options={Object.entries(until).map(([value, label]) => ({ value: Number(value), label }))}
            />
          </Field>
          <Field name="isOneShot" label={shelfTexts.oneShot}>
            <FlagSwitch />
          </Field>
          <Field name="reason" label={fields.reason}>
            <Input.TextArea
              rows={2}
              maxLength={200}
              showCount
              className={styles.noteInput}
              placeholder={shelfTexts.reasonPlaceholder}
            />
          </Field>
        </>
      )}
    </FormDialog>
  )
}
