// A directory of the collapsed sidebar: its pages beside its icon, on hover, by a press, or by the right arrow key.
import { Link } from '@tanstack/react-router'
import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { texts } from '../../lib/texts/index.ts'
import type { MenuItem } from '../menuRoutes.ts'
import { ExternalLink } from './ExternalLink.tsx'
import styles from './Sidebar.module.css'

/** Long enough to cross from the icon to the pages beside it. */
const leaveMs = 200
const gapPx = 6

export function SidebarFlyout({ item, path, icon }: { item: MenuItem; path: string; icon: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  const [place, setPlace] = useState<CSSProperties>({})
  const button = useRef<HTMLButtonElement>(null)
  const flyout = useRef<HTMLDivElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const containsActive = path.startsWith(`${item.path}/`)

  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => {
    const panel = flyout.current
    if (!isOpen || !panel || !button.current) return
    panel.showPopover()
    const { top, right } = button.current.getBoundingClientRect()
    setPlace({
      left: right + gapPx,
      top: Math.max(gapPx, Math.min(top, window.innerHeight - panel.offsetHeight - gapPx)),
    })
  }, [isOpen])
  // After a page was chosen, its directory closes.
  const shownFor = useRef(path)
  useEffect(() => {
    if (shownFor.current !== path) setOpen(false)
    shownFor.current = path
  }, [path])

  const open = () => {
    clearTimeout(timer.current)
    setOpen(true)
  }
  const links = () => [...(flyout.current?.querySelectorAll<HTMLElement>('a') ?? [])]
  const onKeyDown = (event: KeyboardEvent) => {
    const isInside = flyout.current?.contains(event.target as Node)
    if (event.key === 'Escape' || (event.key === 'ArrowLeft' && isInside)) {
      if (!isOpen) return
      event.preventDefault()
      event.stopPropagation()
      setOpen(false)
      button.current?.focus()
    } else if (event.key === 'ArrowRight' && !isInside) {
      event.preventDefault()
      open()
      requestAnimationFrame(() => links()[0]?.focus())
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && isInside) {
      event.preventDefault()
      const all = links()
      const step = event.key === 'ArrowDown' ? 1 : -1
      all[(all.indexOf(document.activeElement as HTMLElement) + step + all.length) % all.length]?.focus()
    }
  }
  return (
    <li
      onPointerEnter={(event) => {
        if (event.pointerType === 'mouse') open()
      }}
      onPointerLeave={(event) => {
        if (event.pointerType === 'mouse') timer.current = setTimeout(() => setOpen(false), leaveMs)
      }}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false)
      }}
      onKeyDown={onKeyDown}
    >
      <button
        ref={button}
        type="button"
        className={styles.line}
        data-contains-active={containsActive || undefined}
        aria-label={item.title}
        aria-expanded={isOpen}
        onClick={open}
      >
        {icon}
      </button>
      {isOpen && (
        <div ref={flyout} popover="manual" className={styles.flyout} style={place}>
          <p className={styles.flyoutTitle}>{item.title}</p>
          <Pages of={item.children} path={path} />
        </div>
      )}
    </li>
  )
}

/** A directory inside a directory is replaced by its pages. */
function Pages({ of: items, path }: { of: readonly MenuItem[]; path: string }) {
  const pages = items.flatMap((item) => (item.children.length > 0 ? item.children : [item]))
  return (
    <ul>
      {pages.map((page) => (
        <li key={page.id}>
          {page.href ? (
            <ExternalLink
              key={page.href}
              href={page.href}
              name={page.title}
              className={styles.line}
              title={texts.layout.newWindow}
            >
              {page.title}
            </ExternalLink>
          ) : (
            <Link
              to={page.path}
              className={styles.line}
              data-active={path === page.path || undefined}
              aria-current={path === page.path ? 'page' : undefined}
            >
              {page.title}
            </Link>
          )}
        </li>
      ))}
    </ul>
  )
}
