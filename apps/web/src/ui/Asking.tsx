import { type ReactNode, useEffect, useId, useRef } from 'react'
import { createStore, useStore } from '../lib/store.ts'
import { texts } from '../lib/texts/index.ts'
import styles from './Asking.module.css'

// One question at a time, in plain React: sign-in and session errors ask too, before antd is there.

export interface Question {
  title: string
  /** Names what the answer touches: how many, which. */
  body?: ReactNode
  /** The button that goes ahead; 确定 by default. */
  go?: string
  /** The button that does not; 取消 by default. */
  stay?: string
  isDanger?: boolean
}

interface Asked {
  id: number
  question: Question
  answer: (goes: boolean) => void
}

const asked = createStore<readonly Asked[]>([])
let lastId = 0

/** Asks and answers whether to go ahead. Esc and the other button both mean no. */
export function ask(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    lastId += 1
    const id = lastId
    const answer = (goes: boolean) => {
      asked.set(asked.get().filter((one) => one.id !== id))
      resolve(goes)
    }
    asked.set([...asked.get(), { id, question, answer }])
  })
}

/** Where questions appear: one at a time, in the order they were asked. */
export function Asking() {
  const first = useStore(asked)[0]
  return first ? <AskingDialog key={first.id} asked={first} /> : null
}

function AskingDialog({ asked: { question, answer } }: { asked: Asked }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const bodyId = useId()
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={titleId}
      aria-describedby={question.body ? bodyId : undefined}
      onCancel={(event) => {
        event.preventDefault()
        answer(false)
      }}
    >
      <h2 id={titleId} className={styles.title}>
        {question.title}
      </h2>
      {question.body && (
        <div id={bodyId} className={styles.body}>
          {question.body}
        </div>
      )}
      <div className={styles.buttons}>
        <button type="button" className="button" onClick={() => answer(false)}>
          {question.stay ?? texts.cancel}
        </button>
        <button
          type="button"
          className={question.isDanger ? 'button danger' : 'button primary'}
          // biome-ignore lint/a11y/noAutofocus: a question takes the focus, on the answer that Enter gives
          autoFocus
          onClick={() => answer(true)}
        >
          {question.go ?? texts.confirm}
        </button>
      </div>
    </dialog>
  )
}
