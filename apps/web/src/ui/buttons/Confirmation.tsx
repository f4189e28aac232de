import { type ReactNode, useEffect, useId, useRef } from 'react'
import { dropSecondPress } from '../../lib/secondPress.ts'
import { createStore, useStore } from '../../lib/store.ts'
import { texts } from '../../lib/texts/index.ts'
import styles from './Confirmation.module.css'

// Confirmation dialogs in plain React: signing in and the end of a session need them before antd is loaded.

export interface Confirmation {
  title: string
  /** The objects of the action: how many, which. */
  body?: ReactNode
  /** 确定 by default. */
  confirmLabel?: string
  /** 取消 by default. */
  cancelLabel?: string
  isDanger?: boolean
}

interface Pending {
  id: number
  confirmation: Confirmation
  answer: (isConfirmed: boolean) => void
}

const pending = createStore<readonly Pending[]>([])
let lastId = 0

/** Shows a confirmation dialog; resolves to whether the user confirmed. Esc and the cancel button mean no. */
export function askToConfirm(confirmation: Confirmation): Promise<boolean> {
  return new Promise((resolve) => {
    lastId += 1
    const id = lastId
    const answer = (isConfirmed: boolean) => {
      pending.set(pending.get().filter((one) => one.id !== id))
      resolve(isConfirmed)
    }
    pending.set([...pending.get(), { id, confirmation, answer }])
  })
}

/** Renders the pending confirmations, one at a time, oldest first. Mounted once. */
export function Confirmations() {
  const first = useStore(pending)[0]
  return first ? <ConfirmationDialog key={first.id} pending={first} /> : null
}

function ConfirmationDialog({ pending: { confirmation, answer } }: { pending: Pending }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const bodyId = useId()
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    dropSecondPress()
    return () => {
      if (before instanceof HTMLElement) before.focus()
      dropSecondPress()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={titleId}
      aria-describedby={confirmation.body ? bodyId : undefined}
      onCancel={(event) => {
        event.preventDefault()
        answer(false)
      }}
    >
      <h2 id={titleId} className={styles.title}>
        {confirmation.title}
      </h2>
      {confirmation.body && (
        <div id={bodyId} className={styles.body}>
          {confirmation.body}
        </div>
      )}
      <div className={styles.buttons}>
        <button type="button" className="button" onClick={() => answer(false)}>
          {confirmation.cancelLabel ?? texts.cancel}
        </button>
        <button
          type="button"
          className={confirmation.isDanger ? 'button danger' : 'button primary'}
          // biome-ignore lint/a11y/noAutofocus: the dialog's focus begins on the button that Enter presses
          autoFocus
          onClick={() => answer(true)}
        >
          {confirmation.confirmLabel ?? texts.confirm}
        </button>
      </div>
    </dialog>
  )
}
