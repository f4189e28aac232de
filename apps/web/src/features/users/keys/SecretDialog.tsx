import type { ApiKeySecret } from '@voltkeep/contract/apiKeys'
import { CopyText } from '../../../ui/CopyText.tsx'
import { Facts } from '../../../ui/detail/DetailPanel.tsx'
import { OnceDialog } from '../../../ui/OnceDialog.tsx'
import { keyTexts } from '../keys.texts.ts'

const { once, fields } = keyTexts

/** Shows the secret of a new or rotated key, and how it is used. */
export default function SecretDialog({ fresh, onClose }: { fresh: ApiKeySecret; onClose: () => void }) {
  return (
    <OnceDialog title={once.title} warning={once.warning} closeLabel={once.saved} onClose={onClose}>
      {(shown) => (
        <Facts
          facts={[
            [fields.name, fresh.name],
            [fields.secret, <CopyText key="secret" text={shown(fresh.secret)} />],
            [once.use, <CopyText key="use" text={once.header(shown(fresh.secret))} />],
            [fields.expireTime, fresh.expireTime],
            [
              once.docs,
              <a key="docs" href="/api/docs" target="_blank" rel="noreferrer">
                /api/docs
              </a>,
            ],
          ]}
        />
      )}
    </OnceDialog>
  )
}
