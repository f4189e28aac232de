import {
  insertModelPart,
  listModelParts,
  type ModelPart,
  updateModelPart,
} from '@voltkeep/contract/equipTypes'
import { Input, InputNumber } from 'antd'
import { call } from '../../lib/wire/call.ts'
import { usePartTypes } from '../../ui/choices/choices.ts'
import { unread } from '../../ui/choices/Unread.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { SearchSelect } from '../../ui/typed/SearchSelect.tsx'
import { type Model, staleParts } from './equipTypes.api.ts'
import { equipTypeTexts } from './equipTypes.texts.ts'

const { fields, ...words } = equipTypeTexts.parts

/**
 * Adds a part to a model, or changes one. A changed part that the model inherited from its type becomes the model's
 * own.
 */
export default function ModelPartDialog({
  model,
  parts,
  part,
  onClose,
}: {
  model: Model
  /** The parts that the model has already. */
  parts: readonly ModelPart[]
  part?: ModelPart
  onClose: () => void
}) {
  const types = usePartTypes()
  const taken = parts.filter(({ id }) => id !== part?.id).map(({ partType }) => partType)
  const readPresent = async (changed: ModelPart) => {
    const present = await call(listModelParts, { equipModelId: model.id })
    return present.find(({ id }) => id === changed.id) ?? changed
  }
  return (
    <FormDialog
      title={part ? words.editTitle(part.name ?? part.partTypeName) : words.add}
      endpoint={part ? updateModelPart : insertModelPart}
      stale={staleParts}
      initial={part ?? { equipModelId: model.id, addrCount: 1 }}
      readPresent={part && (() => readPresent(part))}
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          <Field name="partType" label={fields.partType}>
            <SearchSelect
              loading={types.isPending}
              notFoundContent={unread(types)}
              placeholder={equipTypeTexts.choose}
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
      )}
    </FormDialog>
  )
}
