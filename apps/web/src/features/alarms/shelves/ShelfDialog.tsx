// The form of a shelf by condition, of a maintenance window, and of what is out of service.
import {
  type AlarmShelfRow,
  insertAlarmShelf,
  listAlarmShelves,
  previewAlarmShelf,
  type ShelfKind,
  shelfKindNames,
  shelfKinds,
  shelfMinutes,
  updateAlarmShelf,
} from '@voltkeep/contract/alarmShelves'
import { alarmLevels } from '@voltkeep/contract/dictionary'
import type { InputFor } from '@voltkeep/contract/endpoint'
import { Form as AntForm, Checkbox, Input, InputNumber, Radio } from 'antd'
import type { ReactNode } from 'react'
import * as z from 'zod/mini'
import { notify } from '../../../lib/notices.ts'
import { texts } from '../../../lib/texts/index.ts'
import { choicesOf } from '../../../ui/choices/choicesOf.ts'
import { EquipTypeChoice, OperatorChoice } from '../../../ui/choices/PlaceChoices.tsx'
import RegionCascader from '../../../ui/choices/RegionCascader.tsx'
import { DateTimeInput } from '../../../ui/form/DateTimeInput.tsx'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import type { FieldProps, TypedForm } from '../../../ui/form/form.types.ts'
import { useFieldValue } from '../../../ui/form/useFieldValue.ts'
import { SearchSelect } from '../../../ui/typed/SearchSelect.tsx'
import styles from '../alarms.module.css'
import { handleTexts } from '../handle/handle.texts.ts'
import { staleAfterDeed } from '../handle/handled.ts'
import { ShelfPreview, useShelfPreview } from './ShelfPreview.tsx'
import { shelfTexts } from './shelves.texts.ts'

const { fields, kindHints, repeats, until, all } = shelfTexts

/** What the kinds ask for differs: the server says what is missing of the chosen one, under its field. */
const Form = z.object(insertAlarmShelf.input.shape)

function inputOf({
  kind,
  minutes,
  startTime,
  endTime,
  repeat,
  timeZone,
  deviceCodes,
  filter,
  ...values
}: z.output<typeof Form>) {
  return {
    ...values,
    kind,
    // What the chosen kind does not have stays in the form, and is not sent.
    ...(kind === 'shelve' && { minutes }),
    ...(kind === 'maintenance' && { startTime, endTime, repeat, timeZone }),
    ...(deviceCodes && deviceCodes.length > 0 ? { deviceCodes } : { filter: filter ?? {} }),
  }
}

/** What the form asks for so far, without the reason; undefined while anything else is missing. */
function previewOf(values: unknown): InputFor<typeof previewAlarmShelf> | undefined {
  const filled = z.safeParse(Form, { ...(values as object), reason: shelfTexts.title })
  if (!filled.success) return undefined
  const { reason: _reason, ...input } = inputOf(filled.data)
  return z.safeParse(previewAlarmShelf.input, input).success ? input : undefined
}

/** `hasLong`: the user may make more than a shelf of a day. With `shelf` that window is changed. */
export default function ShelfDialog({
  shelf,
  hasLong,
  onClose,
}: {
  shelf?: AlarmShelfRow
  hasLong: boolean
  onClose: () => void
}) {
  return shelf ? (
    <ChangedWindow shelf={shelf} onClose={onClose} />
  ) : (
    <NewShelf hasLong={hasLong} onClose={onClose} />
  )
}

/** Of a window when it is and why; whom it is about stays. */
function ChangedWindow({ shelf, onClose }: { shelf: AlarmShelfRow; onClose: () => void }) {
  const { id, version, repeat, timeZone, reason, localStartTime, localEndTime } = shelf
  return (
    <FormDialog
      title={shelfTexts.titleOfChange}
      endpoint={updateAlarmShelf}
      stale={[listAlarmShelves, ...staleAfterDeed]}
      initial={{
        id,
        version,
        reason,
        startTime: localStartTime ?? undefined,
        endTime: localEndTime ?? undefined,
        repeat: repeat ?? undefined,
        timeZone: timeZone ?? undefined,
      }}
      onClose={onClose}
      intro={<p className={styles.hint}>{shelfTexts.changeHint}</p>}
    >
      {({ Field }) => (
        <>
          <WindowTimes Field={Field} repeat={repeat} />
          <Field name="reason" label={fields.reason}>
            <Input.TextArea rows={2} maxLength={200} showCount placeholder={shelfTexts.reasonPlaceholder} />
          </Field>
        </>
      )}
    </FormDialog>
  )
}

/** When a window is, of a new one and of one that is changed. `repeat`: its present rule. */
function WindowTimes({
  Field,
  repeat = null,
}: {
  Field: (field: FieldProps<'startTime' | 'endTime' | 'repeat' | 'timeZone'>) => ReactNode
  repeat?: string | null
}) {
  return (
    <>
      <Field name="startTime" label={fields.start}>
        <DateTimeInput />
      </Field>
      <Field name="endTime" label={fields.end}>
        <DateTimeInput endsDay />
      </Field>
      <Field name="repeat" label={fields.repeat}>
        <SearchSelect allowClear options={repeatChoices(repeat)} />
      </Field>
      <Field name="timeZone" label={fields.timeZone}>
        <Input maxLength={64} autoComplete="off" placeholder="Asia/Shanghai" />
      </Field>
    </>
  )
}

/** A window may have a rule that the form does not offer. */
const repeatChoices = (present: string | null) => [
  ...Object.entries(repeats).map(([value, label]) => ({ value, label })),
  ...(present !== null && !(present in repeats)
    ? [{ value: present, label: `${shelfTexts.otherRepeat} ${present}` }]
    : []),
]

function NewShelf({ hasLong, onClose }: { hasLong: boolean; onClose: () => void }) {
  const kinds = hasLong ? shelfKinds : (['shelve'] as const)
  return (
    <FormDialog
      title={shelfTexts.title}
      endpoint={insertAlarmShelf}
      schema={Form}
      stale={[listAlarmShelves, ...staleAfterDeed]}
      initial={{ kind: hasLong ? 'maintenance' : 'shelve', minutes: shelfMinutes, isOneShot: 0 }}
      toInput={inputOf}
      isAnswerShown
      onDone={({ approvalId }) => {
        if (approvalId) notify.info(shelfTexts.asked)
        else notify.success(handleTexts.done.shelve)
      }}
      onClose={onClose}
      intro={
        <p className={styles.hint}>
          {shelfTexts.about}
          {shelfTexts.fire}
        </p>
      }
    >
      {(form) => <Fields form={form} kinds={kinds} />}
    </FormDialog>
  )
}

function Fields({ form, kinds }: { form: TypedForm<typeof Form>; kinds: readonly ShelfKind[] }) {
  const { Field } = form
  const kind = useFieldValue(form, 'kind') ?? 'shelve'
  const preview = useShelfPreview(previewOf(AntForm.useWatch([], form.instance)))
  return (
    <>
      <Field name="kind" label={fields.kind} hint={kindHints[kind]}>
        <Radio.Group optionType="button" options={choicesOf(kinds, shelfKindNames)} />
      </Field>
      <Field name="deviceCodes" label={fields.devices} hint={fields.devicesHint}>
        <Input.TextArea rows={2} autoComplete="off" />
      </Field>
      <Field name="compartment" label={fields.compartment}>
        <InputNumber min={1} max={64} precision={0} />
      </Field>
      {kind !== 'outOfService' && (
        <>
          <Field name="filter.regionCode" label={fields.region}>
            <RegionCascader placeholder={all} />
          </Field>
          <Field name="filter.operatorId" label={fields.operator}>
            <OperatorChoice allowClear placeholder={all} />
          </Field>
          <Field name="filter.equipTypeId" label={fields.equipType}>
            <EquipTypeChoice allowClear placeholder={all} />
          </Field>
        </>
      )}
      <Field name="semaphoreCodes" label={fields.codes} hint={fields.codesHint}>
        <Input.TextArea rows={1} autoComplete="off" />
      </Field>
      <Field name="alarmLevels" label={fields.levels}>
        <Checkbox.Group options={choicesOf(alarmLevels, texts.states.levels)} />
      </Field>
      {kind === 'shelve' && (
        <Field name="minutes" label={fields.minutes}>
          <Radio.Group
            optionType="button"
            options={Object.entries(until).map(([value, label]) => ({ value: Number(value), label }))}
          />
        </Field>
      )}
      {kind === 'maintenance' && <WindowTimes Field={Field} />}
      <Field name="reason" label={fields.reason}>
        <Input.TextArea rows={2} maxLength={200} showCount placeholder={shelfTexts.reasonPlaceholder} />
      </Field>
      <ShelfPreview preview={preview} />
    </>
  )
}
