import { useQuery } from '@tanstack/react-query'
import { listModelParts } from '@voltkeep/contract/equipTypes'
import { insertHwVersion, listHwVersions } from '@voltkeep/contract/hwVersions'
import { Input } from 'antd'
import { reading } from '../../lib/wire/reading.ts'
import { useEquipTypes } from '../../ui/choices/choices.ts'
import { EquipTypeChoice } from '../../ui/choices/PlaceChoices.tsx'
import { unread } from '../../ui/choices/Unread.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import type { TypedForm } from '../../ui/form/form.types.ts'
import { useFieldValue } from '../../ui/form/useFieldValue.ts'
import { SearchSelect } from '../../ui/typed/SearchSelect.tsx'
import { hwVersionTexts } from './hwVersions.texts.ts'

const { fields, choose, typeFirst, modelFirst, noParts } = hwVersionTexts

/** Adds a hardware version; type and model are preset from the list's filters. */
export default function HwVersionDialog({
  equipType,
  equipModelId,
  onClose,
}: {
  equipType?: string | undefined
  equipModelId?: string | undefined
  onClose: () => void
}) {
  return (
    <FormDialog
      title={hwVersionTexts.add}
      endpoint={insertHwVersion}
      stale={[listHwVersions]}
      initial={{ equipType, equipModelId: equipType === undefined ? undefined : equipModelId }}
      onClose={onClose}
    >
      {(form) => (
        <>
          <PlaceFields form={form} />
          <form.Field name="versionName" label={fields.versionName}>
            <Input autoComplete="off" count={{ show: true, max: 20 }} />
          </form.Field>
          <form.Field name="versionCode" label={fields.versionCode}>
            <Input autoComplete="off" spellCheck={false} count={{ show: true, max: 10 }} />
          </form.Field>
          <form.Field name="versionNote" label={fields.versionNote}>
            <Input.TextArea maxLength={200} autoSize={{ minRows: 2, maxRows: 5 }} />
          </form.Field>
        </>
      )}
    </FormDialog>
  )
}

/** Type, model and part; each choice depends on the one before. */
function PlaceFields({ form }: { form: TypedForm<typeof insertHwVersion.input> }) {
  const { Field } = form
  const equipType = useFieldValue(form, 'equipType')
  const equipModelId = useFieldValue(form, 'equipModelId')
  const types = useEquipTypes()
  const type = types.data?.find(({ id }) => id === equipType)
  const parts = useQuery({
    ...reading(listModelParts, { equipModelId: equipModelId ?? '' }),
    enabled: equipModelId !== undefined,
  })
  return (
    <>
      <Field name="equipType" label={fields.equipType}>
        <EquipTypeChoice
          placeholder={choose}
          onChange={() => form.setValues({ equipModelId: undefined, partType: undefined })}
        />
      </Field>
      <Field name="equipModelId" label={fields.equipModel}>
        <SearchSelect
          disabled={equipType === undefined}
          placeholder={equipType === undefined ? typeFirst : choose}
          options={(type?.equipModels ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          onChange={() => form.setValues({ partType: undefined })}
        />
      </Field>
      <Field name="partType" label={fields.partType}>
        <SearchSelect
          disabled={equipModelId === undefined}
          loading={parts.isFetching}
          notFoundContent={parts.data ? noParts : unread(parts)}
          placeholder={equipModelId === undefined ? modelFirst : choose}
          options={(parts.data ?? []).map(({ partType, partTypeName }) => ({
            value: partType,
            label: partTypeName,
          }))}
        />
      </Field>
    </>
  )
}
