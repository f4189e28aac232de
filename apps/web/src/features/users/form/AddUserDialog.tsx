import { updatePermissions } from '@voltkeep/contract/permissions'
import { insertUser, listUsers } from '@voltkeep/contract/users'
import { Checkbox, Input } from 'antd'
import { useState } from 'react'
import { useCurrentUser } from '../../../lib/session.ts'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import { usePermission } from '../../../ui/Permitted.tsx'
import { entitiesOf } from '../permissions/permissions.entities.ts'
import type { HandedOver } from '../permissions/users.handOver.ts'
import styles from '../users.module.css'
import { userTexts } from '../users.texts.ts'
import { PasswordInput } from './PasswordInput.tsx'
import { SightFields } from './SightFields.tsx'
import { UserFields } from './UserFields.tsx'
import { AddForm } from './users.addForm.ts'
import { presetPassword } from './users.password.ts'

const { fields } = userTexts
const width = 940
const narrowWidth = 520

/** Adds a user with a password generated in the browser, and with the user's data permissions. */
export default function AddUserDialog({
  organizationId,
  onAdded,
  onClose,
}: {
  /** The preset organization. */
  organizationId: string | undefined
  onAdded: (user: HandedOver) => void
  onClose: () => void
}) {
  const own = useCurrentUser().organizationId
  const mayPermit = usePermission(updatePermissions.access)
  const [password] = useState(presetPassword)
  return (
    <FormDialog
      title={userTexts.add}
      endpoint={insertUser}
      schema={AddForm}
      stale={[listUsers]}
      width={mayPermit ? width : narrowWidth}
      initial={{
        organizationId: organizationId ?? own,
        password,
        mustChangePassword: true,
        sight: mayPermit ? 'chosen' : 'all',
      }}
      toInput={({ sight, ET, O, R, ...user }) => ({
        ...user,
        authorityEntities: sight === 'chosen' ? entitiesOf({ ET, O, R }) : undefined,
      })}
      onDone={({ id }, { sight, ET, O, R, ...user }) =>
        onAdded({ ...user, id, authorityEntities: sight === 'chosen' ? entitiesOf({ ET, O, R }) : undefined })
      }
      onClose={onClose}
    >
      {(form) => {
        const account = (
          <UserFields
            form={form}
            loginName={
              <>
                <form.Field name="loginName" label={fields.loginName} hint={userTexts.loginNameRule}>
                  <Input maxLength={64} autoComplete="off" spellCheck={false} />
                </form.Field>
                <form.Field name="password" label={fields.password} hint={userTexts.passwordHint}>
                  <PasswordInput />
                </form.Field>
                <form.Field name="mustChangePassword" label={fields.firstSignIn} valuePropName="checked">
                  <Checkbox>{userTexts.mustChange}</Checkbox>
                </form.Field>
              </>
            }
          />
        )
        if (!mayPermit) return account
        return (
          <div className={styles.halves}>
            <div>{account}</div>
            <SightFields form={form} />
          </div>
        )
      }}
    </FormDialog>
  )
}
