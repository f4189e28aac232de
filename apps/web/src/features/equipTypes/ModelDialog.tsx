import { insertModel, updateModel } from '@voltkeep/contract/equipTypes'
import { Input, Select } from 'antd'
import { texts } from '../../lib/texts/index.ts'
import { useEquipTypes } from '../../ui/choices/choices.ts'
import { unread } from '../../ui/choices/Unread.tsx'
import { Field } from '../../ui/form/Field.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { type Model, readType, staleTypes } from './equipTypes.api.ts'

const { fields } = texts.equipTypes.models

/** Adds a model to a type, or changes one. */
export default function ModelDialog({
  equipTypeId,
  model,
  onAdded,
  onClose,
}: {
  equipTypeId: string
  model?: Model
  onAdded?: (id: string) => void
  onClose: () => void
}) {
  if (!model) {
    return (
      <FormDialog
        title={texts.equipTypes.models.add}
        endpoint={insertModel}
        stale={staleTypes}
        initial={{ equipTypeId }}
        onDone={({ id }) => onAdded?.(id)}
        onClose={onClose}
      >
        <ModelFields />
      </FormDialog>
    )
  }
  const valuesOf = ({ id, version, name, code }: Model) => ({ id, version, name, code, equipTypeId })
  return (
    <FormDialog
      title={texts.equipTypes.models.editTitle(model.name)}
      endpoint={updateModel}
      stale={staleTypes}
      initial={valuesOf(model)}
      readPresent={async () => {
        const present = (await readType(equipTypeId))?.equipModels.find(({ id }) => id === model.id)
        return valuesOf(present ?? model)
      }}
      onClose={onClose}
    >
      <ModelFields />
    </FormDialog>
  )
}

function ModelFields() {
  const types = useEquipTypes()
  return (
    <>
      <Field name="equipTypeId" label={fields.type} hint={texts.equipTypes.models.typeHint}>
        <Select
          loading={types.isPending}
          notFoundContent={unread(types)}
          placeholder={texts.equipTypes.choose}
          showSearch={{ optionFilterProp: 'label' }}
          options={(types.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Field>
      <Field name="name" label={fields.name}>
        <Input maxLength={64} autoComplete="off" />
      </Field>
      <Field name="code" label={fields.code} hint={texts.equipTypes.codeHint}>
        <Input maxLength={32} autoComplete="off" spellCheck={false} />
      </Field>
    </>
  )
}
