import { Button, Modal } from 'antd'
import { type ReactNode, useState } from 'react'
import styles from './OnceDialog.module.css'
import { sizes } from './theme/tokens.ts'

/**
 * Shows a secret that cannot be shown again. Neither a click beside it nor Esc closes it. The secret leaves the page
 * with the press on the button, not only when the dialog has finished closing: `children` draws what `shown` returns.
 */
export function OnceDialog({
  title,
  warning,
  closeLabel,
  action,
  width = sizes.dialog,
  onClose,
  children,
}: {
  title: string
  warning: string
  /** The button's label: the user confirms to have saved the secret. */
  closeLabel: string
  /** An action on the secret, before the dialog is closed: the first of the two buttons. */
  action?: ReactNode
  width?: number
  onClose: () => void
  children: (shown: (secret: string) => string) => ReactNode
}) {
  const [isOpen, setOpen] = useState(true)
  // Dots of the same length keep the dialog's size while it closes.
  const shown = (secret: string) => (isOpen ? secret : secret.replace(/\S/g, '•'))
  return (
    <Modal
      open={isOpen}
      title={title}
      width={width}
      centered
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      // Otherwise antd would keep the former content while the dialog closes, and after it is hidden.
      forceRender
      afterClose={onClose}
      footer={
        <>
          {action}
          <Button type={action ? 'default' : 'primary'} onClick={() => setOpen(false)}>
            {closeLabel}
          </Button>
        </>
      }
    >
      <p className={styles.warning} role="alert">
        {warning}
      </p>
      <div className={styles.secret}>{children(shown)}</div>
    </Modal>
  )
}
