import { type EquipType, insertEquipType, updateEquipType } from '@voltkeep/contract/equipTypes'
import { Input, Select } from 'antd'
import { useEnum, usePartTypes } from '../../ui/choices/choices.ts'
import { unread } from '../../ui/choices/Unread.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { SearchSelect } from '../../ui/typed/SearchSelect.tsx'
import { readType, staleTypes } from './equipTypes.api.ts'
import { confirmationOf } from './equipTypes.confirmation.ts'
import { equipTypeTexts } from './equipTypes.texts.ts'

const { fields } = equipTypeTexts

const valuesOf = ({ partTypes, ...type }: EquipType) => ({
  ...type,
  partTypes: partTypes.map((part) => part.code),
})

/** Adds a type, or changes one with the parts that its models inherit. */
export default function EquipTypeDialog({ type, onClose }: { type?: EquipType; onClose: () => void }) {
  const classifies = useEnum('EQUIP_CLASSIFY')
  const parts = usePartTypes()

  return (
    <FormDialog
      title={type ? equipTypeTexts.editTitle(type.name) : equipTypeTexts.add}
      endpoint={type ? updateEquipType : insertEquipType}
      stale={staleTypes}
      initial={type ? valuesOf(type) : {}}
      confirm={(values) => type && confirmationOf(type, values)}
      readPresent={type && (async () => valuesOf((await readType(type.id)) ?? type))}
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          <Field name="name" label={fields.name}>
            <Input maxLength={64} autoComplete="off" />
          </Field>
          <Field name="code" label={fields.code} hint={equipTypeTexts.codeHint}>
            <Input maxLength={32} autoComplete="off" spellCheck={false} />
          </Field>
          <Field
            name="classify"
            label={fields.classify}
            hint={type?.hasDevices ? equipTypeTexts.classifyLocked : undefined}
          >
            <Select
              disabled={type?.hasDevices ?? false}
              loading={classifies.isPending}
              notFoundContent={unread(classifies)}
              placeholder={equipTypeTexts.choose}
              options={(classifies.data ?? []).map(({ code, name }) => ({ value: code, label: name }))}
            />
          </Field>
          <Field name="partTypes" label={fields.partTypes} hint={equipTypeTexts.partsHint}>
            <SearchSelect
              mode="multiple"
              loading={parts.isPending}
              notFoundContent={unread(parts)}
              placeholder={equipTypeTexts.choose}
              options={(parts.data ?? []).map(({ code, name }) => ({
                value: code,
                label: `${name} ${code}`,
              }))}
            />
          </Field>
        </>
      )}
    </FormDialog>
  )
}
