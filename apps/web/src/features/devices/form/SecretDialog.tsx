import { useState } from 'react'
import { CopyText } from '../../../ui/CopyText.tsx'
import { Facts } from '../../../ui/detail/DetailPanel.tsx'
import { OnceDialog } from '../../../ui/OnceDialog.tsx'
import styles from '../devices.module.css'
import { deviceTexts } from '../devices.texts.ts'
import { exampleFor, type FreshSecret } from './devices.secret.ts'

const { secret: words } = deviceTexts

/** Shows a device's new secret with a command to test it. */
export default function SecretDialog({ fresh, onClose }: { fresh: FreshSecret; onClose: () => void }) {
  const [example] = useState(() => exampleFor(fresh, location.origin, Date.now()))
  return (
    <OnceDialog
      title={words.title}
      warning={words.once}
      closeLabel={words.saved}
      width={640}
      onClose={onClose}
    >
      {(shown) => (
        <>
          <Facts
            facts={[
              [words.clients[fresh.protocol], <CopyText key="code" text={fresh.code} />],
              [words.secret, <CopyText key="secret" text={shown(fresh.secret)} />],
            ]}
          />
          <h3 className={styles.exampleTitle}>{words.example}</h3>
          <p className={styles.quiet}>{words.exampleHints[fresh.protocol]}</p>
          <div className={styles.example}>
            <CopyText text={shown(example)} />
          </div>
        </>
      )}
    </OnceDialog>
  )
}
