import type { Task } from '@voltkeep/contract/tasks'
import type { ReactNode } from 'react'
import styles from './tasks.module.css'
import { taskTexts } from './tasks.texts.ts'

/** A task: its kind, its subject, its state. */
export function TaskLine({
  name,
  state,
  isPartly = false,
  waits,
  children,
}: {
  name: ReactNode
  state: Task['state']
  isPartly?: boolean
  /** What it waits for where it is paused, unless somebody has paused it. */
  waits?: string | undefined
  children: ReactNode
}) {
  return (
    <p className={styles.line}>
      <strong className={styles.name}>{name}</strong>
      <span className={styles.subject} title={typeof children === 'string' ? children : undefined}>
        {children}
      </span>
      <span className={styles.state} data-state={state}>
        {state === 'failed' && isPartly
          ? taskTexts.partly
          : ((state === 'paused' ? waits : undefined) ?? taskTexts.states[state])}
      </span>
    </p>
  )
}
