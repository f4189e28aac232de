import { insertPartType, type PartType, updatePartType } from '@voltkeep/contract/equipTypes'
import { Input } from 'antd'
import { texts } from '../../lib/texts/index.ts'
import { Field } from '../../ui/form/Field.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { staleTypes } from './equipTypes.api.ts'

const { fields, ...words } = texts.equipTypes.partTypes

/** Adds a part type, or gives one another name. */
export default function PartTypeDialog({ partType, onClose }: { partType?: PartType; onClose: () => void }) {
  const name = (
    <Field name="name" label={fields.name}>
      <Input maxLength={64} autoComplete="off" />
    </Field>
  )
  if (partType) {
    return (
      <FormDialog
        title={words.editTitle(partType.code)}
        endpoint={updatePartType}
        stale={staleTypes}
        initial={partType}
        onClose={onClose}
      >
        {name}
      </FormDialog>
    )
  }
  return (
    <FormDialog title={words.add} endpoint={insertPartType} stale={staleTypes} onClose={onClose}>
      <Field name="code" label={fields.code} hint={words.codeHint}>
        <Input maxLength={64} autoComplete="off" spellCheck={false} />
      </Field>
      {name}
    </FormDialog>
  )
}
