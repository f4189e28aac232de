import { id as idOf } from '@voltkeep/contract/fields'
import { listUsers, UserForm, type UserRow, updateUser } from '@voltkeep/contract/users'
import { Input } from 'antd'
import { useState } from 'react'
import * as z from 'zod/mini'
import { call } from '../../lib/wire/call.ts'
import { useOrganizations, useRoles } from '../../ui/choices/choices.ts'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { UserFields } from './UserFields.tsx'
import { confirmationOf } from './users.confirmation.ts'
import { userTexts } from './users.texts.ts'

const { fields } = userTexts
const { id, version } = updateUser.input.shape
const ChangeForm = z.extend(UserForm, {
  ...{ id, version, organizationId: idOf(fields.organization) },
  /** Shown, and never changed. */
  loginName: z.optional(z.string()),
})

/** Enabling is the list's switch: the form leaves it as it is. */
const valuesOf = (user: UserRow) => ({ ...user, isEnabled: undefined })

/** Changes a user. */
export default function EditUserDialog({ user, onClose }: { user: UserRow; onClose: () => void }) {
  const roles = useRoles()
  const organizations = useOrganizations()
  /** The user as it was last read: what the question before saving compares with. */
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
