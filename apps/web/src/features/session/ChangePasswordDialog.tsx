import { ChangePasswordForm, changePassword } from '@voltkeep/contract/session'
import { Input } from 'antd'
import type { ReactNode } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import styles from './ChangePasswordDialog.module.css'

export interface ChangePasswordDialogProps {
  onClose: () => void
  onDone?: () => void
  /** For the first sign-in: the dialog cannot be closed, only left by signing out. */
  isForced?: boolean
  otherAction?: ReactNode
}

export default function ChangePasswordDialog({
  onClose,
  onDone,
  isForced = false,
  otherAction,
}: ChangePasswordDialogProps) {
  return (
    <FormDialog
      title={texts.session.changePassword}
      endpoint={changePassword}
      stale={[]}
      schema={ChangePasswordForm}
      toInput={({ oldPassword, newPassword }) => ({ oldPassword, newPassword })}
      said={texts.session.passwordChanged}
      isForced={isForced}
      otherAction={otherAction}
      intro={isForced && <p className={styles.intro}>{texts.session.mustChange}</p>}
      onClose={onClose}
      onDone={onDone}
    >
      {({ Field }) => (
        <>
          <Field name="oldPassword" label={texts.session.oldPassword}>
            <Input.Password autoComplete="current-password" maxLength={128} />
          </Field>
          <Field name="newPassword" label={texts.session.newPassword} hint={texts.session.passwordHint}>
            <Input.Password autoComplete="new-password" />
          </Field>
          <Field name="confirmPassword" label={texts.session.confirmPassword} dependsOn={['newPassword']}>
            <Input.Password autoComplete="new-password" />
          </Field>
        </>
      )}
    </FormDialog>
  )
}
