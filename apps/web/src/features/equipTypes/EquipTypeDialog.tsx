import { type EquipType, insertEquipType, updateEquipType } from '@voltkeep/contract/equipTypes'
import { Input, Select } from 'antd'
import { texts } from '../../lib/texts/index.ts'
import { useEnum } from '../../ui/choices/choices.ts'
import { unread } from '../../ui/choices/Unread.tsx'
import { Field } from '../../ui/form/Field.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { readType, staleTypes, usePartTypes } from './equipTypes.api.ts'

const { fields } = texts.equipTypes

const valuesOf = ({ id, version, name, code, classify, partTypes }: EquipType) => ({
  id,
  version,
  name,
  code,
  classify,
  partTypes: partTypes.map((part) => part.code),
})

/** Adds a type, or changes one with the parts that its models begin with. */
export default function EquipTypeDialog({ type, onClose }: { type?: EquipType; onClose: () => void }) {
  if (!type) {
    return (
      <FormDialog
        title={texts.equipTypes.add}
        endpoint={insertEquipType}
        stale={staleTypes}
        onClose={onClose}
      >
        <TypeFields />
      </FormDialog>
    )
  }
  return (
    <FormDialog
      title={texts.equipTypes.editTitle(type.name)}
      endpoint={updateEquipType}
      stale={staleTypes}
      initial={valuesOf(type)}
      // Whole: no parts is something else than nothing said of them.
      toInput={(values) => values as never}
      readPresent={async () => valuesOf((await readType(type.id)) ?? type)}
      onClose={onClose}
    >
      <TypeFields />
    </FormDialog>
  )
}

function TypeFields() {
  const classifies = useEnum('EQUIP_CLASSIFY')
  const parts = usePartTypes()
  return (
    <>
      <Field name="name" label={fields.name}>
        <Input maxLength={64} autoComplete="off" />
      </Field>
      <Field name="code" label={fields.code} hint={texts.equipTypes.codeHint}>
        <Input maxLength={32} autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="classify" label={fields.classify}>
        <Select
          loading={classifies.isPending}
          notFoundContent={unread(classifies)}
          placeholder={texts.equipTypes.choose}
          options={(classifies.data ?? []).map(({ code, name }) => ({ value: code, label: name }))}
        />
      </Field>
      <Field name="partTypes" label={fields.partTypes} hint={texts.equipTypes.partsHint}>
        <Select
          mode="multiple"
          loading={parts.isPending}
          notFoundContent={unread(parts)}
          placeholder={texts.equipTypes.choose}
          showSearch={{ optionFilterProp: 'label' }}
          options={(parts.data ?? []).map(({ code, name }) => ({ value: code, label: `${name} ${code}` }))}
        />
      </Field>
    </>
  )
}
