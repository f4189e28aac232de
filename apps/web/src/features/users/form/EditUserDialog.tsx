import { id as idOf } from '@voltkeep/contract/fields'
import { listUsers, UserForm, type UserRow, updateUser } from '@voltkeep/contract/users'
import { Input } from 'antd'
import { useState } from 'react'
import * as z from 'zod/mini'
import { call } from '../../../lib/wire/call.ts'
import { useOrganizations } from '../../../ui/choices/choices.ts'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import { useRoles } from '../useRoles.ts'
import { userTexts } from '../users.texts.ts'
import { UserFields } from './UserFields.tsx'
import { confirmationOf } from './users.confirmation.ts'

const { fields } = userTexts
const { id, version } = updateUser.input.shape
const ChangeForm = z.extend(UserForm, {
  ...{ id, version, organizationId: idOf(fields.organization) },
  /** Shown read only. */
  loginName: z.optional(z.string()),
})

/** `isEnabled` is set by the switch in the list: the form leaves it unchanged. */
const valuesOf = (user: UserRow) => ({ ...user, isEnabled: undefined })

/** Changes a user. */
export default function EditUserDialog({ user, onClose }: { user: UserRow; onClose: () => void }) {
  const roles = useRoles()
  const organizations = useOrganizations()
  /** The user as last read: the confirmation compares with it. */
  const [saved, setSaved] = useState(user)
  const readPresent = async () => {
    const { rows } = await call(listUsers, { ids: [user.id] })
    const present = rows[0] ?? user
    setSaved(present)
    return valuesOf(present)
  }
  return (
    <FormDialog
      title={userTexts.editTitle(user.loginName)}
      endpoint={updateUser}
      schema={ChangeForm}
      stale={[listUsers]}
      initial={valuesOf(user)}
      confirm={(values) =>
        confirmationOf(saved, values, { roles: roles.data ?? [], organizations: organizations.data ?? [] })
      }
      toInput={({ loginName: _, ...changed }) => changed}
      readPresent={readPresent}
      onClose={onClose}
    >
      {(form) => (
        <UserFields
          form={form}
          loginName={
            <form.Field name="loginName" label={fields.loginName} hint={userTexts.loginNameFixed}>
              <Input disabled />
            </form.Field>
          }
        />
      )}
    </FormDialog>
  )
}
