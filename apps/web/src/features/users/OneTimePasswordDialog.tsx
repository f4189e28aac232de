import type { OneTimePassword } from '@voltkeep/contract/users'
import { Button, Modal } from 'antd'
import { useState } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import { Facts } from '../../ui/DetailPanel.tsx'
import { sizes } from '../../ui/tokens.ts'
import styles from './users.module.css'

const { oneTime, fields } = texts.users

/** The one time that the password is seen. Neither a slip of the mouse nor Esc takes it away. */
export default function OneTimePasswordDialog({
  fresh,
  onClose,
}: {
  fresh: OneTimePassword
  onClose: () => void
}) {
  const [isOpen, setOpen] = useState(true)
  return (
    <Modal
      open={isOpen}
      title={oneTime.title}
      width={sizes.dialog}
      centered
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      afterClose={onClose}
      footer={
        <Button type="primary" onClick={() => setOpen(false)}>
          {oneTime.saved}
        </Button>
      }
    >
      <p className={styles.once} role="alert">
        {oneTime.once}
      </p>
      <Facts
        facts={[
          [fields.loginName, <CopyText key="login" text={fresh.loginName} />],
          [fields.password, <CopyText key="password" text={fresh.password} />],
        ]}
      />
    </Modal>
  )
}
