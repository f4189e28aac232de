// Shelving of alarms from their list: of one, with what it may be widened to, or of the chosen ones.
import {
  insertAlarmShelf,
  listAlarmShelves,
  type previewAlarmShelf,
  shelfMinutes,
} from '@voltkeep/contract/alarmShelves'
import type { InputFor } from '@voltkeep/contract/endpoint'
import { integer, oneOf, text } from '@voltkeep/contract/fields'
import { compartmentsNamed } from '@voltkeep/contract/namedCompartments'
import { Input, Radio, Select } from 'antd'
import { useState } from 'react'
import * as z from 'zod/mini'
import { formatCount } from '../../../lib/format.ts'
import { notify } from '../../../lib/notices.ts'
import { FlagSwitch } from '../../../ui/form/FlagSwitch.tsx'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import styles from '../alarms.module.css'
import { handleTexts } from '../handle/handle.texts.ts'
import { countOf, type Handled, staleAfterDeed } from '../handle/handled.ts'
import { ShelfPreview, useShelfPreview } from './ShelfPreview.tsx'
import { shelfTexts } from './shelves.texts.ts'

const { fields, scopes, until } = shelfTexts

const Form = z.object({
  scope: z._default(text('范围', 16), 'alarm'),
  minutes: integer('时长', 1, 1_440),
  isOneShot: z._default(oneOf('本次告警结束为止', [0, 1]), 0),
  reason: text('原因', 200),
})

/** The list's filter as a shelf has it: devices apart from alarms. */
function byFilter({
  filter,
}: Extract<Handled, { count: number }>): Partial<InputFor<typeof insertAlarmShelf>> {
  const { organizationId, operatorId, equipTypeId, equipModelId, regionCode } = filter ?? {}
  return {
    filter: { organizationId, operatorId, equipTypeId, equipModelId, regionCode },
    ...(filter?.semaphoreCode && { semaphoreCodes: filter.semaphoreCode }),
    ...(filter?.alarmLevel && { alarmLevels: filter.alarmLevel }),
  }
}

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
    if ('ids' in of) return { ids: [...of.ids] }
    if ('count' in of) return byFilter(of)
    const { alarm } = of
    if (scope === 'device') return { deviceCodes: [alarm.code] }
    if (scope === 'compartment') return { deviceCodes: [alarm.code], compartment }
    if (scope === 'code') return { filter: {}, semaphoreCodes: [alarm.semaphoreCode] }
    return { ids: [alarm.id] }
  }
  const [scope, setScope] = useState('alarm')
  const preview = useShelfPreview(chosen(scope) as InputFor<typeof previewAlarmShelf>)
  return (
    <FormDialog
      title={shelfTexts.titleOfOne}
      endpoint={insertAlarmShelf}
      schema={Form}
      toInput={({ scope, ...values }) =>
        ({
          ...values,
          ...chosen(scope),
          ...('filter' in of && preview && { count: preview.alarmCount }),
        }) as InputFor<typeof insertAlarmShelf>
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
            : 'filter' in of
              ? shelfTexts.aboutAll(formatCount(of.count))
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
                onSelect={(chosenScope: string) => setScope(chosenScope)}
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
          <ShelfPreview preview={preview} />
        </>
      )}
    </FormDialog>
  )
}
