import { previewPermissions } from '@voltkeep/contract/permissions'
import { Radio } from 'antd'
import type { TypedForm } from '../../../ui/form/form.types.ts'
import { useFieldValue } from '../../../ui/form/useFieldValue.ts'
import { usePermission } from '../../../ui/Permitted.tsx'
import { PermissionFields } from '../permissions/PermissionFields.tsx'
import { PermissionPreview } from '../permissions/PermissionPreview.tsx'
import { isAnyChosen } from '../permissions/permissions.entities.ts'
import { useOwnEntities } from '../permissions/useOwnEntities.ts'
import { permissionTexts } from '../permissions.texts.ts'
import styles from '../users.module.css'
import type { AddForm } from './users.addForm.ts'

const words = permissionTexts.sight

/** The devices that a new user will see, with a preview of their number. */
export function SightFields({ form }: { form: TypedForm<AddForm> }) {
  const mayPreview = usePermission(previewPermissions.access)
  const isNarrowed = useOwnEntities().length > 0
  const organizationId = useFieldValue(form, 'organizationId')
  const isChosen = useFieldValue(form, 'sight') !== 'all'
  const ET = useFieldValue(form, 'ET')
  const O = useFieldValue(form, 'O')
  const R = useFieldValue(form, 'R')
  // The form will be refused in this state, so no number is shown.
  const isUnchosen = isChosen && !isAnyChosen({ ET, O, R })
  return (
    <div>
      <form.Field name="sight" label={words.label}>
        <Radio.Group
          options={[
            { value: 'chosen', label: words.chosen },
            { value: 'all', label: isNarrowed ? words.asMine : words.all },
          ]}
        />
      </form.Field>
      {isChosen && <PermissionFields form={form} organizationId={organizationId} operatorIds={O ?? []} />}
      {mayPreview && organizationId !== undefined && !isUnchosen && (
        <PermissionPreview of={{ organizationId }} chosen={isChosen ? { ET, O, R } : undefined} />
      )}
      {isUnchosen && <p className={styles.quiet}>{words.unchosen}</p>}
    </div>
  )
}
