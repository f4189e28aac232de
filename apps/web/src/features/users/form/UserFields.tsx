import type { UserForm } from '@voltkeep/contract/users'
import { Input, Select } from 'antd'
import type { ReactNode } from 'react'
import { useEnum } from '../../../ui/choices/choices.ts'
import OrganizationTree from '../../../ui/choices/OrganizationTree.tsx'
import { unread } from '../../../ui/choices/Unread.tsx'
import type { TypedForm } from '../../../ui/form/form.types.ts'
import { SearchSelect } from '../../../ui/typed/SearchSelect.tsx'
import { useRoles } from '../useRoles.ts'
import { userTexts } from '../users.texts.ts'

const { fields } = userTexts

/** The fields that the forms of a new and of an existing user share. */
export function UserFields({
  form: { Field },
  loginName,
}: {
  form: Pick<TypedForm<typeof UserForm>, 'Field'>
  /** Rendered after the name: the login name and related fields. */
  loginName: ReactNode
}) {
  const roles = useRoles()
  const types = useEnum('USER_TYPE')
  return (
    <>
      <Field name="userName" label={fields.userName}>
        <Input maxLength={64} autoComplete="off" />
      </Field>
      {loginName}
      <Field name="phone" label={fields.phone}>
        <Input maxLength={20} inputMode="tel" autoComplete="off" />
      </Field>
      <Field name="type" label={fields.type}>
        <Select
          loading={types.isPending}
          notFoundContent={unread(types)}
          placeholder={userTexts.choose}
          options={(types.data ?? []).map(({ code, name }) => ({ value: code, label: name }))}
        />
      </Field>
      {/* The list of a multiple choice stays open over the fields below, so only optional fields follow. */}
      <Field name="roleIds" label={fields.roles}>
        <SearchSelect
          mode="multiple"
          loading={roles.isPending}
          notFoundContent={unread(roles)}
          placeholder={userTexts.choose}
          options={(roles.data ?? []).map(({ id, name, isAssignable }) => ({
            value: id,
            label: name,
            disabled: !isAssignable,
            title: isAssignable ? name : `${name}（${userTexts.roleFixed}）`,
          }))}
        />
      </Field>
      <Field name="organizationId" label={fields.organization}>
        <OrganizationTree placeholder={userTexts.choose} />
      </Field>
    </>
  )
}
