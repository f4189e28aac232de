import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { texts } from '../../lib/texts/index.ts'

const column = '.ant-picker-time-panel-column'

/**
 * For a calendar with a time: its columns of hours, minutes and seconds, which antd makes for a pointer only, become
 * lists that the keyboard reaches. ↓ in the field leads to them, Tab from one to the next, Enter and Esc back to the
 * field.
 */
export const withTimeColumns = {
  panelRender: (panel: ReactNode) => <TimeColumns>{panel}</TimeColumns>,
  onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (event.key !== 'ArrowDown') return
    // In the calendar that is open; a closed one stays hidden in the page.
    const open = '.ant-picker-dropdown:not(.ant-picker-dropdown-hidden)'
    const first = document.querySelector<HTMLElement>(`${open} ${column}`)
    if (!first) return
    event.preventDefault()
    first.focus()
  },
}

function TimeColumns({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  /** The field that the keyboard came from. */
  const field = useRef<HTMLElement | null>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    const tell = () => {
      for (const list of element.querySelectorAll<HTMLElement>(column)) {
        list.tabIndex = 0
        list.setAttribute('role', 'listbox')
        list.setAttribute('aria-label', texts.time.units[list.dataset.type ?? ''] ?? '')
        for (const unit of list.children) {
          unit.setAttribute('role', 'option')
          unit.setAttribute('aria-selected', String(unit.matches('[class*=-selected]')))
          unit.setAttribute('aria-disabled', String(unit.matches('[class*=-disabled]')))
        }
      }
    }
    tell()
    const changes = new MutationObserver(tell)
    changes.observe(element, { childList: true, subtree: true, attributeFilter: ['class'] })
    return () => changes.disconnect()
  }, [])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys bubble here from the columns
    <div
      ref={place}
      onFocus={({ relatedTarget }) => {
        if (relatedTarget instanceof HTMLInputElement) field.current = relatedTarget
      }}
      onKeyDown={(event) => {
        const list = (event.target as Element).closest<HTMLElement>(column)
        if (!list) return
        if (event.key === 'Enter' || event.key === 'Escape') field.current?.focus()
        else if (!choose(list, event.key)) return
        event.preventDefault()
        // Nor is it for the dialog that the field stands in.
        event.stopPropagation()
      }}
    >
      {children}
    </div>
  )
}

/** Chooses the next unit by an arrow key, the first or the last; false for other keys. */
function choose(list: HTMLElement, key: string): boolean {
  const units = [...list.querySelectorAll<HTMLElement>('[aria-disabled=false]')]
  const at = units.findIndex((unit) => unit.matches('[aria-selected=true]'))
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: units.length - 1 }[key]
  if (next === undefined) return false
  units[Math.max(0, Math.min(next, units.length - 1))]?.click()
  return true
}
