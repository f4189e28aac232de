// The panel beside a list that shows one row in full.
import { CloseOutlined } from '@ant-design/icons'
import { isValidElement, type ReactNode, useEffect, useId, useRef } from 'react'
import { isComposing } from '../../lib/browser/composing.ts'
import { narrowQuery, useMedia } from '../../lib/browser/media.ts'
import { texts } from '../../lib/texts/index.ts'
import { IconButton } from '../buttons/IconButton.tsx'
import { CopyText, type CopyTextProps } from '../CopyText.tsx'
import styles from './DetailPanel.module.css'
import { isDialogOpen, StepButtons, type Steps, useStepKeys } from './steps.tsx'

export interface DetailPanelProps {
  title: ReactNode
  /** Beside the title: e.g. level and state. */
  tags?: ReactNode
  /** One button that stays in the head on a phone too. */
  mainAction?: ReactNode
  /** Several small buttons: in the head, on a phone below it. */
  actions?: ReactNode
  /** The rows before and after this one in the list; a side without one is undefined. */
  steps?: Steps | undefined
  /** The id of the shown row: another row begins at the top. */
  of?: string | undefined
  onClose: () => void
  children: ReactNode
}

/**
 * The detail of a row: beside the list where there is room, over the whole page on a phone. Not modal, so the
 * list stays usable. The page keeps the open row in the address.
 */
export function DetailPanel({
  title,
  tags,
  mainAction,
  actions,
  steps,
  of,
  onClose,
  children,
}: DetailPanelProps) {
  const isNarrow = useMedia(narrowQuery)
  const hasRowBelow = isNarrow && Boolean(actions)
  const panel = useRef<HTMLElement>(null)
  const titleId = useId()
  const latest = useRef(onClose)
  useEffect(() => {
    latest.current = onClose
  })
  useStepKeys(steps)
  useEffect(() => {
    const opener = document.activeElement
    panel.current?.focus({ preventScroll: true })
    const onKey = (event: KeyboardEvent) => {
      // An open dialog closes first.
      if (event.defaultPrevented || event.key !== 'Escape' || isComposing(event) || isDialogOpen()) return
      latest.current()
    }
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('keydown', onKey)
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true })
    }
  }, [])
  // The element with the focus may have gone with the former row.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time that another one is shown
  useEffect(() => {
    if (document.activeElement === document.body) panel.current?.focus({ preventScroll: true })
  }, [of])
  return (
    <aside ref={panel} className={styles.panel} aria-labelledby={titleId} tabIndex={-1}>
      <header className={styles.head}>
        <h2 id={titleId} className={styles.title}>
          {title}
        </h2>
        {tags}
        <div className={styles.actions}>
          {mainAction}
          {!isNarrow && actions}
          {steps && !hasRowBelow && <StepButtons steps={steps} />}
          <IconButton label={texts.close} onClick={onClose}>
            <CloseOutlined />
          </IconButton>
        </div>
      </header>
      {hasRowBelow && (
        <div className={styles.actionsBelow}>
          {actions}
          {steps && <StepButtons steps={steps} />}
        </div>
      )}
      <div key={of} className={styles.body}>
        {children}
      </div>
    </aside>
  )
}

/** A titled part of a detail. */
export function DetailSection({
  title,
  aside,
  children,
}: {
  title: ReactNode
  aside?: ReactNode
  children: ReactNode
}) {
  return (
    <section className={styles.section}>
      <h3 className={styles.sectionTitle}>
        {title}
        {aside && <span className={styles.sectionAside}>{aside}</span>}
      </h3>
      {children}
    </section>
  )
}

/** The half-width letters that fit into a column of facts; a Chinese one counts for two. */
const columnLetters = 26

/** The same for a code, which is monospaced and has a button beside it. */
const columnCodeLetters = 20

function isLong(value: ReactNode): boolean {
  if (typeof value === 'string')
    return value.length + (value.match(/[\u2e80-\uffef]/g)?.length ?? 0) > columnLetters
  return isValidElement<CopyTextProps>(value) && value.type === CopyText
    ? value.props.text.length > columnCodeLetters
    : false
}

export type Fact = readonly [name: ReactNode, value: ReactNode, isLong?: boolean]

/**
 * Names and values, two columns; a missing value is a dash. A long text or code has a line of its own, and so has a
 * fact marked as long: the length of any other element is not known here.
 */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value, isSaidLong], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: facts stand in a fixed order
        <div key={at} className={styles.fact} data-long={isSaidLong || isLong(value) || undefined}>
          <dt>{name}</dt>
          <dd>{value === null || value === undefined || value === '' ? '—' : value}</dd>
        </div>
      ))}
    </dl>
  )
}
