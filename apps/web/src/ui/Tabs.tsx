import { type KeyboardEvent, useRef } from 'react'
import styles from './Tabs.module.css'

export interface TabsProps<Key extends string> {
  label: string
  tabs: readonly { key: Key; title: string }[]
  active: Key
  onChange: (key: Key) => void
}

/** Views of one page. Arrow keys walk them, as everywhere. */
export function Tabs<Key extends string>({ label, tabs, active, onChange }: TabsProps<Key>) {
  const strip = useRef<HTMLDivElement>(null)
  const walk = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const at = tabs.findIndex(({ key }) => key === active)
    const next = tabs[(at + step + tabs.length) % tabs.length]
    if (!next) return
    onChange(next.key)
    strip.current?.querySelector<HTMLElement>(`[data-tab="${next.key}"]`)?.focus()
  }
  return (
    <div ref={strip} className={styles.tabs} role="tablist" aria-label={label} onKeyDown={walk}>
      {tabs.map(({ key, title }) => (
        <button
          key={key}
          type="button"
          role="tab"
          data-tab={key}
          className={styles.tab}
          aria-selected={key === active}
          tabIndex={key === active ? 0 : -1}
          onClick={() => onChange(key)}
        >
          {title}
        </button>
      ))}
    </div>
  )
}
