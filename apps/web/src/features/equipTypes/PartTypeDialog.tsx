import { insertPartType, listPartTypes, type PartType, updatePartType } from '@voltkeep/contract/equipTypes'
import { Input } from 'antd'
import { call } from '../../lib/wire/call.ts'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { staleTypes } from './equipTypes.api.ts'
import { equipTypeTexts } from './equipTypes.texts.ts'

const { fields, ...words } = equipTypeTexts.partTypes

/** Adds a part type, or renames one. */
export default function PartTypeDialog({ partType, onClose }: { partType?: PartType; onClose: () => void }) {
  const readPresent = async (changed: PartType) => {
    const present = await call(listPartTypes, {})
    return present.find(({ code }) => code === changed.code) ?? changed
  }
  return (
    <FormDialog
      title={partType ? words.editTitle(partType.code) : words.add}
      endpoint={partType ? updatePartType : insertPartType}
      stale={staleTypes}
      initial={partType ?? {}}
      readPresent={partType && (() => readPresent(partType))}
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          {!partType && (
            <Field name="code" label={fields.code} hint={words.codeHint}>
              <Input maxLength={64} autoComplete="off" spellCheck={false} />
            </Field>
          )}
          <Field name="name" label={fields.name}>
            <Input maxLength={64} autoComplete="off" />
          </Field>
        </>
      )}
    </FormDialog>
  )
}
