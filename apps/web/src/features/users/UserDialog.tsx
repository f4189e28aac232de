import { id as idOf } from '@voltkeep/contract/fields'
import { insertUser, listUsers, UserForm, type UserRow, updateUser } from '@voltkeep/contract/users'
import { Checkbox, Input, Select } from 'antd'
import { useState } from 'react'
import * as z from 'zod/mini'
import { useCurrentUser } from '../../lib/session.ts'
import { texts } from '../../lib/texts/index.ts'
import { withoutEmpty } from '../../lib/wire/outgoing.ts'
import { useEnum, useRoles } from '../../ui/choices/choices.ts'
import OrganizationTree from '../../ui/choices/OrganizationTree.tsx'
import { unread } from '../../ui/choices/Unread.tsx'
import { Field } from '../../ui/form/Field.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { PasswordInput } from './PasswordInput.tsx'
import { presetPassword } from './users.password.ts'

const { fields } = texts.users
// On the wire an absent one means the own; who sees the field means to fill it in.
const inOrganization = { organizationId: idOf(fields.organization) }
const AddForm = z.extend(insertUser.input, inOrganization)
const ChangeForm = z.extend(UserForm, inOrganization)

/** Adds a user with a password of the browser's making, or changes one. */
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
  const [password] = useState(presetPassword)
  if (!user) {
    return (
      <FormDialog
        title={texts.users.add}
        endpoint={insertUser}
        stale={[listUsers]}
        schema={AddForm}
        initial={{ organizationId: organizationId ?? own, password }}
        onClose={onClose}
      >
        <Field name="userName" label={fields.userName}>
          <Input autoFocus maxLength={64} autoComplete="off" />
        </Field>
        <Field name="loginName" label={fields.loginName}>
          <Input maxLength={64} autoComplete="off" spellCheck={false} />
        </Field>
        <Field name="password" label={fields.password} hint={texts.users.passwordHint}>
          <PasswordInput />
        </Field>
        <UserFields />
        <Field name="mustChangePassword" label={fields.firstSignIn} valuePropName="checked">
          <Checkbox>{texts.users.mustChange}</Checkbox>
        </Field>
      </FormDialog>
    )
  }
  const { id, version, loginName, userName, phone, roleIds, type } = user
  return (
    <FormDialog
      title={texts.users.editTitle(loginName)}
      endpoint={updateUser}
      stale={[listUsers]}
      schema={ChangeForm}
      initial={{
        id,
        version,
        loginName,
        userName,
        phone: phone ?? undefined,
        roleIds,
        type: type ?? undefined,
        organizationId: user.organizationId,
      }}
      toInput={({ loginName: _, ...values }) => withoutEmpty(values) as never}
      onClose={onClose}
    >
      <Field name="userName" label={fields.userName}>
        <Input autoFocus maxLength={64} autoComplete="off" />
      </Field>
      <Field name="loginName" label={fields.loginName} hint={texts.users.loginNameFixed}>
        <Input disabled />
      </Field>
      <UserFields />
    </FormDialog>
  )
}

function UserFields() {
  const roles = useRoles()
  const types = useEnum('USER_TYPE')
  return (
    <>
      <Field name="phone" label={fields.phone}>
        <Input maxLength={20} inputMode="tel" autoComplete="off" />
      </Field>
      <Field name="roleIds" label={fields.roles}>
        <Select
          mode="multiple"
          loading={roles.isPending}
          notFoundContent={unread(roles)}
          placeholder={texts.users.choose}
          showSearch={{ optionFilterProp: 'label' }}
          options={(roles.data ?? []).map(({ id, name, isAssignable }) => ({
            value: id,
            label: name,
            disabled: !isAssignable,
            title: isAssignable ? name : `${name}（${texts.users.roleFixed}）`,
          }))}
        />
      </Field>
      <Field name="type" label={fields.type}>
        <Select
          loading={types.isPending}
          notFoundContent={unread(types)}
          placeholder={texts.users.choose}
          options={(types.data ?? []).map(({ code, name }) => ({ value: code, label: name }))}
        />
      </Field>
      <Field name="organizationId" label={fields.organization}>
        <OrganizationTree placeholder={texts.users.choose} />
      </Field>
    </>
  )
}
