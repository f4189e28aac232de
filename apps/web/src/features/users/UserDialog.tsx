import { id as idOf } from '@voltkeep/contract/fields'
import { insertUser, listUsers, UserForm, type UserRow, updateUser } from '@voltkeep/contract/users'
import { Checkbox, Input, Select } from 'antd'
import { useState } from 'react'
import * as z from 'zod/mini'
import { useCurrentUser } from '../../lib/session.ts'
import { call } from '../../lib/wire/call.ts'
import { useEnum, useOrganizations, useRoles } from '../../ui/choices/choices.ts'
import OrganizationTree from '../../ui/choices/OrganizationTree.tsx'
import { unread } from '../../ui/choices/Unread.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { PasswordInput } from './PasswordInput.tsx'
import { confirmationOf } from './users.confirmation.ts'
import { presetPassword } from './users.password.ts'
import { userTexts } from './users.texts.ts'

const { fields } = userTexts
// The call defaults to the caller's own organization; the form shows the field and requires it.
const inOrganization = { organizationId: idOf(fields.organization) }
const AddForm = z.extend(insertUser.input, inOrganization)
const { id, version } = updateUser.input.shape
const ChangeForm = z.extend(UserForm, { id, version, ...inOrganization })

/** Enabling is the list's switch: the form leaves it as it is. */
const valuesOf = (user: UserRow) => ({ ...user, isEnabled: undefined })

/** Adds a user with a password made in the browser, or changes one. */
export default function UserDialog({
  user,
  organizationId,
  onClose,
}: {
  user?: UserRow
  /** Where a new one is put at first. */
  organizationId?: string | undefined
  onClose: () => void
}) {
  const own = useCurrentUser().organizationId
  const roles = useRoles()
  const types = useEnum('USER_TYPE')
  const organizations = useOrganizations()
  const [password] = useState(presetPassword)
  /** The user as it was last read: what the question before saving compares with. */
  const [saved, setSaved] = useState(user)
  const readPresent = async (changed: UserRow) => {
    const { rows } = await call(listUsers, { ids: [changed.id] })
    const present = rows[0] ?? changed
    setSaved(present)
    return valuesOf(present)
  }
  return (
    <FormDialog
      title={user ? userTexts.editTitle(user.loginName) : userTexts.add}
      endpoint={user ? updateUser : insertUser}
      schema={user ? ChangeForm : AddForm}
      stale={[listUsers]}
      initial={
        user ? valuesOf(user) : { organizationId: organizationId ?? own, password, mustChangePassword: true }
      }
      confirm={(values) =>
        saved &&
        confirmationOf(saved, values, { roles: roles.data ?? [], organizations: organizations.data ?? [] })
      }
      readPresent={user && (() => readPresent(user))}
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          <Field name="userName" label={fields.userName}>
            <Input autoFocus maxLength={64} autoComplete="off" />
          </Field>
          <Field
            name="loginName"
            label={fields.loginName}
            hint={user ? userTexts.loginNameFixed : userTexts.loginNameRule}
          >
            <Input disabled={user !== undefined} maxLength={64} autoComplete="off" spellCheck={false} />
          </Field>
          {!user && (
            <Field name="password" label={fields.password} hint={userTexts.passwordHint}>
              <PasswordInput />
            </Field>
          )}
          <Field name="phone" label={fields.phone}>
            <Input maxLength={20} inputMode="tel" autoComplete="off" />
          </Field>
          <Field name="roleIds" label={fields.roles}>
            <Select
              mode="multiple"
              loading={roles.isPending}
              notFoundContent={unread(roles)}
              placeholder={userTexts.choose}
              showSearch={{ optionFilterProp: 'label' }}
              options={(roles.data ?? []).map(({ id, name, isAssignable }) => ({
                value: id,
                label: name,
                disabled: !isAssignable,
                title: isAssignable ? name : `${name}（${userTexts.roleFixed}）`,
              }))}
            />
          </Field>
          <Field name="type" label={fields.type}>
            <Select
              loading={types.isPending}
              notFoundContent={unread(types)}
              placeholder={userTexts.choose}
              options={(types.data ?? []).map(({ code, name }) => ({ value: code, label: name }))}
            />
          </Field>
          <Field name="organizationId" label={fields.organization}>
            <OrganizationTree placeholder={userTexts.choose} />
          </Field>
          {!user && (
            <Field name="mustChangePassword" label={fields.firstSignIn} valuePropName="checked">
              <Checkbox>{userTexts.mustChange}</Checkbox>
            </Field>
          )}
        </>
      )}
    </FormDialog>
  )
}
