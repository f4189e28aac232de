import {
  alarmLevels,
  alarmType,
  type DictionaryRow,
  insertDictionaryEntry,
  listDictionary,
  updateDictionaryEntry,
} from '@voltkeep/contract/dictionary'
import { Form, type FormInstance, Input, Select } from 'antd'
import { useState } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { call } from '../../lib/wire/call.ts'
import { useEnum } from '../../ui/choices/choices.ts'
import { unread } from '../../ui/choices/Unread.tsx'
import { Field } from '../../ui/form/Field.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { DefinitionsEditor } from './DefinitionsEditor.tsx'
import { stale, useDictionaryTypes, valuesOf } from './dictionary.api.ts'

const { fields } = texts.dictionary

/** Adds an entry, of the type given at first, or changes one; an alarm's with what its bits mean. */
export default function DictionaryDialog({
  entry,
  type,
  onClose,
}: {
  entry?: DictionaryRow
  type?: string | undefined
  onClose: () => void
}) {
  if (!entry) {
    return (
      <FormDialog
        title={texts.dictionary.add}
        endpoint={insertDictionaryEntry}
        stale={stale}
        initial={{ type, definitions: [] }}
        onClose={onClose}
      >
        {(form) => <EntryFields form={form} isFixed={false} />}
      </FormDialog>
    )
  }
  return (
    <FormDialog
      title={texts.dictionary.editTitle(entry.code)}
      endpoint={updateDictionaryEntry}
      stale={stale}
      initial={valuesOf(entry)}
      // Whole, and not without what is empty: no definitions is something else than nothing said of them.
      toInput={(values) => values as never}
      readPresent={async () => {
        const { rows } = await call(listDictionary, { id: entry.id })
        return valuesOf(rows[0] ?? entry)
      }}
      onClose={onClose}
    >
      {(form) => <EntryFields form={form} isFixed={entry.isFixed} />}
    </FormDialog>
  )
}

function EntryFields({ form, isFixed }: { form: FormInstance; isFixed: boolean }) {
  const type = Form.useWatch<string | undefined>('type', form)
  const analysisTypes = useEnum('ALARM_ANALYSIS_TYPE')
  return (
    <>
      <Field name="type" label={fields.type} hint={isFixed ? texts.dictionary.fixed : undefined}>
        <TypeSelect
          isDisabled={isFixed}
          onChosen={(chosen) => {
            // What only alarms have would be judged unseen.
            if (chosen !== alarmType) {
              form.setFieldsValue({ alarmLevel: undefined, analysisType: undefined, definitions: [] })
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
      {type === alarmType && (
        <>
          <Field name="alarmLevel" label={fields.alarmLevel} isNeeded>
            <Select
              placeholder={texts.dictionary.choose}
              options={alarmLevels.map((level) => ({ value: level, label: texts.states.levels[level] }))}
            />
          </Field>
          <Field name="analysisType" label={fields.analysisType} isNeeded>
            <Select
              notFoundContent={unread(analysisTypes)}
              placeholder={texts.dictionary.choose}
              options={(analysisTypes.data ?? []).map(({ code, name }) => ({ value: code, label: name }))}
            />
          </Field>
          <Form.Item name="definitions" noStyle>
            <DefinitionsEditor />
          </Form.Item>
        </>
      )}
    </>
  )
}

/** The types there are, by name; what is typed and is none of them becomes one. */
function TypeSelect({
  isDisabled,
  onChosen,
  onChange,
  ...control
}: {
  isDisabled: boolean
  onChosen: (type: string) => void
  /** These come from the field. */
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
    <Select
      {...control}
      disabled={isDisabled}
      loading={types.isPending}
      placeholder={texts.dictionary.typeHint}
      showSearch={{
        optionFilterProp: 'label',
        onSearch: setTyped,
      }}
      options={isFresh ? [...known, { value: fresh, label: texts.dictionary.newType(fresh) }] : known}
      onChange={(type: string) => {
        onChange?.(type)
        onChosen(type)
      }}
    />
  )
}
