// The way from one row's detail to the next one's: two buttons, and keys.
import { DownOutlined, UpOutlined } from '@ant-design/icons'
import { useEffect, useRef } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { IconButton } from '../buttons/IconButton.tsx'
import styles from './Steps.module.css'

export interface Steps {
  previous: (() => void) | undefined
  next: (() => void) | undefined
  /** The measure word of a row: 条 unless something else is given. */
  measure?: string | undefined
}

/** The rows before and after one in its list: neither, where the list's page does not have it. */
export function stepsFrom<Row extends { id: string }>(
  rows: readonly Row[],
  id: string,
  onOpen: (row: Row) => void,
  measure?: string,
): Steps {
  const at = rows.findIndex((row) => row.id === id)
  const step = (by: 1 | -1) => {
    const other = at === -1 ? undefined : rows[at + by]
    return other && (() => onOpen(other))
  }
  return { previous: step(-1), next: step(1), measure }
}

/** Whether something lies over the page that keys belong to first. */
export const isDialogOpen = () => openDialogs() > 0

const openDialogs = () =>
  document.querySelectorAll('dialog[open], .ant-modal-wrap:not([style*="display: none"])').length

/** j and k, and the arrows to either side, step while nothing lies above what has the steps: the page, or a dialog. */
export function useStepKeys(steps: Steps | undefined, { isDialog = false } = {}): void {
  const latest = useRef(steps)
  useEffect(() => {
    latest.current = steps
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return
      const step = stepOf(event, latest.current)
      if (!step || openDialogs() > Number(isDialog)) return
      event.preventDefault()
      step()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [isDialog])
}

/** The step that a key asks for, where nobody is typing. */
function stepOf(event: KeyboardEvent, steps: Steps | undefined): (() => void) | undefined {
  if (!steps || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return undefined
  const target = event.target as HTMLElement
  if (target.closest('input, textarea, select, [contenteditable], [role="tablist"], [role="menu"]'))
    return undefined
  if (event.key === 'j' || event.key === 'ArrowRight') return steps.next
  if (event.key === 'k' || event.key === 'ArrowLeft') return steps.previous
  return undefined
}

/** A side without a row keeps its button, so that none is pressed by mistake. */
export function StepButtons({ steps }: { steps: Steps }) {
  const { previous, next } = texts.steps(steps.measure)
  return (
    <span className={styles.steps}>
      <IconButton
        label={previous}
        title={`${previous} K`}
        isDisabled={!steps.previous}
        onClick={() => steps.previous?.()}
      >
        <UpOutlined />
      </IconButton>
      <IconButton label={next} title={`${next} J`} isDisabled={!steps.next} onClick={() => steps.next?.()}>
        <DownOutlined />
      </IconButton>
    </span>
  )
}
