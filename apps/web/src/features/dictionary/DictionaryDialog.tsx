// The form of a new entry, initially of the given type, or of a present one; that of an alarm includes its definitions.
import {
  alarmLevels,
  alarmType,
  type DictionaryRow,
  eventType,
  insertDictionaryEntry,
  listDictionary,
  updateDictionaryEntry,
} from '@voltkeep/contract/dictionary'
import { Input, Select } from 'antd'
import { useState } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { call } from '../../lib/wire/call.ts'
import { useEnum } from '../../ui/choices/choices.ts'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import { unread } from '../../ui/choices/Unread.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import type { TypedForm } from '../../ui/form/form.types.ts'
import { useFieldValue } from '../../ui/form/useFieldValue.ts'
import { SearchSelect } from '../../ui/typed/SearchSelect.tsx'
import { DefinitionsEditor } from './DefinitionsEditor.tsx'
import { stale, useDictionaryTypes } from './dictionary.api.ts'
import { dictionaryTexts } from './dictionary.texts.ts'

const { fields } = dictionaryTexts
type EntryForm = typeof insertDictionaryEntry.input | typeof updateDictionaryEntry.input

export default function DictionaryDialog({
  entry,
  type,
  onClose,
}: {
  entry?: DictionaryRow
  type?: string | undefined
  onClose: () => void
}) {
  const readPresent = async (changed: DictionaryRow) => {
    const { rows } = await call(listDictionary, { id: changed.id })
    return valuesOf(rows[0] ?? changed)
  }
  return (
    <FormDialog
      title={entry ? dictionaryTexts.editTitle(entry.code) : dictionaryTexts.add}
      endpoint={entry ? updateDictionaryEntry : insertDictionaryEntry}
      stale={stale}
      initial={entry ? valuesOf(entry) : { type, definitions: [] }}
      readPresent={entry && (() => readPresent(entry))}
      onClose={onClose}
    >
      {(form) => <EntryFields form={form} isFixed={entry?.isFixed ?? false} />}
    </FormDialog>
  )
}

/** An entry without definitions sends an empty list: if the field were absent, the server would keep the old ones. */
const valuesOf = (entry: DictionaryRow) => ({
  ...entry,
  alarmLevel: alarmLevels.find((level) => level === entry.alarmLevel),
  definitions: entry.definitions ?? [],
  isFire: entry.isFire ? (1 as const) : (0 as const),
})

function EntryFields({ form, isFixed }: { form: TypedForm<EntryForm>; isFixed: boolean }) {
  const { Field } = form
  const type = useFieldValue(form, 'type')
  const analysisTypes = useEnum('ALARM_ANALYSIS_TYPE')
  return (
    <>
      <Field name="type" label={fields.type} hint={isFixed ? dictionaryTexts.fixed : undefined}>
        <TypeSelect
          isDisabled={isFixed}
          onChosen={(chosen) => {
            // Other types hide these fields, so a problem in them would be invisible.
            if (chosen !== eventType) form.setValues({ unit: undefined })
            if (chosen !== alarmType) {
              form.setValues({ alarmLevel: undefined, analysisType: undefined, definitions: [] })
            }
          }}
        />
      </Field>
      <Field name="code" label={fields.code}>
        <Input disabled={isFixed} autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="name" label={fields.name}>
        <Input maxLength={64} autoComplete="off" />
      </Field>
      <Field name="note" label={fields.note}>
        <Input.TextArea maxLength={500} autoSize={{ minRows: 1, maxRows: 4 }} />
      </Field>
      {type === eventType && (
        <Field name="unit" label={fields.unit} hint={dictionaryTexts.unitHint}>
          <Input maxLength={16} autoComplete="off" spellCheck={false} />
        </Field>
      )}
      {type === alarmType && (
        <>
          <Field name="alarmLevel" label={fields.alarmLevel} isNeeded>
            <Select
              placeholder={dictionaryTexts.choose}
              options={choicesOf(alarmLevels, texts.states.levels)}
            />
          </Field>
          <Field name="analysisType" label={fields.analysisType} isNeeded>
            <Select
              notFoundContent={unread(analysisTypes)}
              placeholder={dictionaryTexts.choose}
              options={(analysisTypes.data ?? []).map(({ code, name }) => ({ value: code, label: name }))}
            />
          </Field>
          <Field name="isFire" label={fields.isFire} hint={dictionaryTexts.fireHint}>
            <Select
              placeholder={dictionaryTexts.choose}
              options={[
                { value: 0, label: dictionaryTexts.notFire },
                { value: 1, label: dictionaryTexts.isFire },
              ]}
            />
          </Field>
          <Field name="definitions" isBare>
            <DefinitionsEditor />
          </Field>
        </>
      )}
    </>
  )
}

/** The known types by name; typed text that matches none is offered as a new type. */
function TypeSelect({
  isDisabled,
  onChosen,
  onChange,
  ...control
}: {
  isDisabled: boolean
  onChosen: (type: string) => void
  /** Set by the form's field. */
  id?: string
  value?: string
  onChange?: (type: string) => void
}) {
  const types = useDictionaryTypes()
  const [typed, setTyped] = useState('')
  const known = (types.data ?? []).map(({ type, name }) => ({
    value: type,
    label: name === type ? type : `${name} ${type}`,
  }))
  const fresh = typed.trim().toUpperCase()
  const isFresh = fresh !== '' && known.every(({ label }) => !label.toUpperCase().includes(fresh))
  return (
    <SearchSelect
      {...control}
      disabled={isDisabled}
      loading={types.isPending}
      placeholder={dictionaryTexts.typeHint}
      onSearch={setTyped}
      options={isFresh ? [...known, { value: fresh, label: dictionaryTexts.newType(fresh) }] : known}
      onChange={(type: string) => {
        onChange?.(type)
        onChosen(type)
      }}
    />
  )
}
