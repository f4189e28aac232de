import { useQuery } from '@tanstack/react-query'
import { deletePermissions, readPermissions, updatePermissions } from '@voltkeep/contract/permissions'
import { listUsers, type UserRow } from '@voltkeep/contract/users'
import { Form } from 'antd'
import { formatCount } from '../../../lib/format.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { useWriting } from '../../../lib/wire/writing.ts'
import { ConfirmButton } from '../../../ui/buttons/ConfirmButton.tsx'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import { Permitted } from '../../../ui/Permitted.tsx'
import { permissionTexts } from '../permissions.texts.ts'
import styles from '../users.module.css'
import { PermissionFields } from './PermissionFields.tsx'
import { PermissionPreview } from './PermissionPreview.tsx'
import { entitiesOf, PermissionForm } from './permissions.entities.ts'
import { useOwnEntities } from './useOwnEntities.ts'

const words = permissionTexts
const stale = [listUsers, readPermissions]
const width = 860

/** A user's data permissions, with a preview of the devices that the user will see. */
export default function PermissionDialog({ user, onClose }: { user: UserRow; onClose: () => void }) {
  const saved = useQuery({ ...reading(readPermissions, { userId: user.id }), staleTime: 0, gcTime: 0 })
  if (!saved.data) return null
  const { authorityEntities, beyondCount, version, isSystem } = saved.data
  const chosenOf = (kind: string) => authorityEntities.find(({ type }) => type === kind)?.value ?? []
  return (
    <FormDialog
      title={words.title(user.userName)}
      endpoint={updatePermissions}
      stale={stale}
      schema={PermissionForm}
      width={width}
      initial={{ ET: chosenOf('ET'), O: chosenOf('O'), R: chosenOf('R') }}
      toInput={(values) => ({
        userId: user.id,
        version,
        authorityEntities: entitiesOf(values),
      })}
      confirm={() => ({ title: words.saveTitle, body: words.saveAsk(user.userName) })}
      submitLabel={words.save}
      intro={
        <div className={styles.intro}>
          <p>
            {words.intro}
            {beyondCount > 0 && words.beyond(formatCount(beyondCount))}
          </p>
          {(authorityEntities.length > 0 || beyondCount > 0) && <ResetButton user={user} onDone={onClose} />}
        </div>
      }
      onClose={onClose}
    >
      {(form) => (
        <div className={styles.permissions}>
          <div>
            <PermissionFields form={form} organizationId={user.organizationId} operatorIds={chosenOf('O')} />
          </div>
          <Form.Item noStyle shouldUpdate>
            {() => <PermissionPreview of={{ userId: user.id }} isSystem={isSystem} chosen={form.values()} />}
          </Form.Item>
        </div>
      )}
    </FormDialog>
  )
}

/**
 * Shown only if there is something to reset. A caller with data permissions resets the user to the same ones, not to
 * none.
 */
function ResetButton({ user, onDone }: { user: UserRow; onDone: () => void }) {
  const isNarrowed = useOwnEntities().length > 0
  const resetting = useWriting(deletePermissions, stale)
  return (
    <Permitted code={deletePermissions.access}>
      <ConfirmButton
        title={words.resetTitle}
        body={isNarrowed ? words.resetNarrowed : words.resetAsk(user.userName)}
        confirmLabel={words.reset}
        isDanger
        onConfirm={async () => {
          await resetting.mutateAsync({ userId: user.id })
          onDone()
        }}
      >
        {words.reset}
      </ConfirmButton>
    </Permitted>
  )
}
