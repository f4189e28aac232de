import { Button, Modal } from 'antd'
import { useState } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import { Facts } from '../../ui/DetailPanel.tsx'
import styles from './devices.module.css'
import { exampleFor, type FreshSecret } from './devices.secret.ts'

const { secret: words } = texts.devices

/** The one time that a secret is seen. Neither a slip of the mouse nor Esc takes it away. */
export default function SecretDialog({ fresh, onClose }: { fresh: FreshSecret; onClose: () => void }) {
  const [isOpen, setOpen] = useState(true)
  const [example] = useState(() => exampleFor(fresh, location.hostname, Date.now()))
  return (
    <Modal
      open={isOpen}
      title={words.title}
      width={640}
      centered
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      afterClose={onClose}
      footer={
        <Button type="primary" onClick={() => setOpen(false)}>
          {words.saved}
        </Button>
      }
    >
      <p className={styles.once} role="alert">
        {words.once}
      </p>
      <Facts
        facts={[
          [words.client, <CopyText key="code" text={fresh.code} />],
          [words.secret, <CopyText key="secret" text={fresh.secret} />],
        ]}
      />
      <h3 className={styles.exampleTitle}>{words.example}</h3>
      <p className={styles.quiet}>{words.exampleHint}</p>
      <div className={styles.example}>
        <CopyText text={example} />
      </div>
    </Modal>
  )
}
