import type { OneTimePassword } from '@voltkeep/contract/users'
import { CopyText } from '../../../ui/CopyText.tsx'
import { Facts } from '../../../ui/detail/DetailPanel.tsx'
import { OnceDialog } from '../../../ui/OnceDialog.tsx'
import { userTexts } from '../users.texts.ts'

const { oneTime, fields } = userTexts

/** Shows the one-time password that the server generated for a user. */
export default function OneTimePasswordDialog({
  fresh,
  onClose,
}: {
  fresh: OneTimePassword
  onClose: () => void
}) {
  return (
    <OnceDialog title={oneTime.title} warning={oneTime.once} closeLabel={oneTime.saved} onClose={onClose}>
      {(shown) => (
        <Facts
          facts={[
            [fields.loginName, <CopyText key="login" text={fresh.loginName} />],
            [fields.password, <CopyText key="password" text={shown(fresh.password)} />],
          ]}
        />
      )}
    </OnceDialog>
  )
}
