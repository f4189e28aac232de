import { CloseOutlined } from '@ant-design/icons'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { narrowQuery, useMedia } from '../lib/media.ts'
import { texts } from '../lib/texts/index.ts'
import styles from './DetailPanel.module.css'

export interface DetailPanelProps {
  title: ReactNode
  /** Beside the title: e.g. level and state. */
  tags?: ReactNode
  /** One button that stays in the head on a phone too. */
  mainAction?: ReactNode
  /** Several small buttons: in the head, on a phone below it. */
  actions?: ReactNode
  onClose: () => void
  children: ReactNode
}

/**
 * The detail of a row: beside the list where there is room, over the whole page on a phone. Not modal, so the
 * list stays usable. The page keeps the open row in the address.
 */
export function DetailPanel({ title, tags, mainAction, actions, onClose, children }: DetailPanelProps) {
  const isNarrow = useMedia(narrowQuery)
  const panel = useRef<HTMLElement>(null)
  const titleId = useId()
  const latest = useRef(onClose)
  useEffect(() => {
    latest.current = onClose
  })
  useEffect(() => {
    const opener = document.activeElement
    panel.current?.focus({ preventScroll: true })
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      // An open dialog closes first.
      if (document.querySelector('dialog[open], .ant-modal-wrap:not([style*="display: none"])')) return
      latest.current()
    }
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('keydown', onKey)
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true })
    }
  }, [])
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
          <button type="button" className={styles.close} aria-label={texts.close} onClick={onClose}>
            <CloseOutlined />
          </button>
        </div>
      </header>
      {isNarrow && actions && <div className={styles.actionsBelow}>{actions}</div>}
      <div className={styles.body}>{children}</div>
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

/** Names and values, two columns; a value that is missing is a dash. */
export function Facts({ facts }: { facts: readonly (readonly [name: ReactNode, value: ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: facts stand in a fixed order
        <div key={at} className={styles.fact}>
          <dt>{name}</dt>
          <dd>{value === null || value === undefined || value === '' ? '—' : value}</dd>
        </div>
      ))}
    </dl>
  )
}
