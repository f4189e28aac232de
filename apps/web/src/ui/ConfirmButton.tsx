import { Button, type ButtonProps } from 'antd'
import { type ReactNode, useState } from 'react'
import { notify } from '../lib/notices.ts'
import { CallError } from '../lib/wire/call.ts'
import { ask, type Question } from './Asking.tsx'

export interface ConfirmButtonProps
  extends Omit<ButtonProps, 'onClick' | 'loading' | 'title'>,
    Pick<Question, 'title' | 'body' | 'go' | 'stay' | 'isDanger'> {
  children: ReactNode
  /** What happens after the yes. The button shows progress until it has settled. */
  onConfirm: () => unknown
  /** Said where the person turned back, e.g. 已取消删除. */
  saidOnStay?: string
}

/** A button whose deed is asked about first. */
export function ConfirmButton({
  title,
  body,
  go,
  stay,
  isDanger,
  onConfirm,
  saidOnStay,
  ...button
}: ConfirmButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const press = async () => {
    if (!(await ask({ title, body, go, stay, isDanger }))) {
      if (saidOnStay) notify.info(saidOnStay)
      return
    }
    setBusy(true)
    try {
      await onConfirm()
    } catch (error) {
      // A refused call is told where all refused calls are told.
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
