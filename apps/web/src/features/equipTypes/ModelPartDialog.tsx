import {
  insertModelPart,
  listModelParts,
  type ModelPart,
  updateModelPart,
} from '@voltkeep/contract/equipTypes'
import { Input, InputNumber, Select } from 'antd'
import { texts } from '../../lib/texts/index.ts'
import { call } from '../../lib/wire/call.ts'
import { unread } from '../../ui/choices/Unread.tsx'
import { Field } from '../../ui/form/Field.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { type Model, staleParts, usePartTypes } from './equipTypes.api.ts'

const { fields, ...words } = texts.equipTypes.parts

const valuesOf = ({ id, version, partType, name, remark, addrCount }: ModelPart) => ({
  id,
  version,
  partType,
  name: name ?? undefined,
  remark: remark ?? undefined,
  addrCount,
})

/** Adds a part to a model, or changes one; a part that came from the type becomes the model's own. */
export default function ModelPartDialog({
  model,
  parts,
  part,
  onClose,
}: {
  model: Model
  /** Those the model has. */
  parts: readonly ModelPart[]
  part?: ModelPart
  onClose: () => void
}) {
  const taken = parts.filter(({ id }) => id !== part?.id).map(({ partType }) => partType)
  if (!part) {
    return (
      <FormDialog
        title={words.add}
        endpoint={insertModelPart}
        stale={staleParts}
        initial={{ equipModelId: model.id, addrCount: 1 }}
        onClose={onClose}
      >
        <PartFields taken={taken} />
      </FormDialog>
    )
  }
  return (
    <FormDialog
      title={words.editTitle(part.name ?? part.partTypeName)}
      endpoint={updateModelPart}
      stale={staleParts}
      initial={valuesOf(part)}
      readPresent={async () => {
        const present = await call(listModelParts, { equipModelId: model.id })
        return valuesOf(present.find(({ id }) => id === part.id) ?? part)
      }}
      onClose={onClose}
    >
      <PartFields taken={taken} />
    </FormDialog>
  )
}

function PartFields({ taken }: { taken: readonly string[] }) {
  const types = usePartTypes()
  return (
    <>
      <Field name="partType" label={fields.partType}>
        <Select
          loading={types.isPending}
          notFoundContent={unread(types)}
          placeholder={texts.equipTypes.choose}
          showSearch={{ optionFilterProp: 'label' }}
          options={(types.data ?? []).map(({ code, name }) => ({
            value: code,
            label: `${name} ${code}`,
            disabled: taken.includes(code),
          }))}
        />
      </Field>
      <Field name="addrCount" label={fields.count} hint={words.countHint}>
        <InputNumber min={1} max={999} precision={0} />
      </Field>
      <Field name="name" label={fields.name}>
        <Input maxLength={64} autoComplete="off" placeholder={words.nameHint} />
      </Field>
      <Field name="remark" label={fields.remark}>
        <Input maxLength={200} autoComplete="off" />
      </Field>
    </>
  )
}
