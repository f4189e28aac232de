import { Button, type ButtonProps } from 'antd'
import { type ReactNode, useState } from 'react'
import { notify } from '../../lib/notices.ts'
import { CallError } from '../../lib/wire/call.ts'
import { askToConfirm, type Confirmation } from './Confirmation.tsx'

export interface ConfirmButtonProps
  extends Omit<ButtonProps, 'onClick' | 'loading' | 'title'>,
    Pick<Confirmation, 'title' | 'body' | 'confirmLabel' | 'cancelLabel' | 'isDanger'> {
  children: ReactNode
  /** Runs after the user has confirmed. The button shows progress until its promise resolves. */
  onConfirm: () => unknown
  /** Shown when the user cancels, e.g. 已取消删除. */
  cancelMessage?: string
}

/** A button that asks for confirmation before it acts. */
export function ConfirmButton({
  title,
  body,
  confirmLabel,
  cancelLabel,
  isDanger,
  onConfirm,
  cancelMessage,
  ...button
}: ConfirmButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const press = async () => {
    if (!(await askToConfirm({ title, body, confirmLabel, cancelLabel, isDanger }))) {
      if (cancelMessage) notify.info(cancelMessage)
      return
    }
    setBusy(true)
    try {
      await onConfirm()
    } catch (error) {
      // The one place for refused calls has shown it.
      if (!(error instanceof CallError)) throw error
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button
      {...button}
      danger={isDanger ?? false}
      loading={isBusy}
      onClick={(event) => {
        event.stopPropagation()
        void press()
      }}
    />
  )
}
