import { mostCompartments } from '@voltkeep/contract/compartments'
import { insertModel, updateModel } from '@voltkeep/contract/equipTypes'
import { Input, InputNumber } from 'antd'
import { EquipTypeChoice } from '../../ui/choices/PlaceChoices.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { type Model, readType, staleTypes } from './equipTypes.api.ts'
import { equipTypeTexts } from './equipTypes.texts.ts'

const { fields } = equipTypeTexts.models

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
  const readPresent = async (changed: Model) => {
    const present = (await readType(equipTypeId))?.equipModels.find(({ id }) => id === changed.id)
    return { ...(present ?? changed), equipTypeId }
  }
  return (
    <FormDialog
      title={model ? equipTypeTexts.models.editTitle(model.name) : equipTypeTexts.models.add}
      endpoint={model ? updateModel : insertModel}
      stale={staleTypes}
      initial={{ ...model, equipTypeId }}
      readPresent={model && (() => readPresent(model))}
      onDone={(added) => added && onAdded?.(added.id)}
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          <Field name="equipTypeId" label={fields.type} hint={equipTypeTexts.models.typeHint}>
            <EquipTypeChoice placeholder={equipTypeTexts.choose} />
          </Field>
          <Field name="name" label={fields.name}>
            <Input maxLength={64} autoComplete="off" />
          </Field>
          <Field name="code" label={fields.code} hint={equipTypeTexts.codeHint}>
            <Input maxLength={32} autoComplete="off" spellCheck={false} />
          </Field>
          <Field
            name="compartmentCount"
            label={fields.compartmentCount}
            hint={equipTypeTexts.models.compartmentHint}
          >
            <InputNumber min={1} max={mostCompartments} precision={0} />
          </Field>
          <Field
            name="compartmentColumns"
            label={fields.compartmentColumns}
            hint={equipTypeTexts.models.columnsHint}
            dependsOn={['compartmentCount']}
          >
            <InputNumber min={1} max={mostCompartments} precision={0} />
          </Field>
        </>
      )}
    </FormDialog>
  )
}
