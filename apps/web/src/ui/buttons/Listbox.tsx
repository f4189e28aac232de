import { type ReactNode, useEffect, useRef } from 'react'

/**
 * For the choices of a Select that draws them all (`virtual={false}`, or as wide as its widest choice). antd gives the
 * role listbox to an element inside the one that scrolls; here both are one, as a combobox's list has to be: otherwise
 * no key reaches the scrolling part.
 */
export function Listbox({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    const unite = () => {
      const scroller = element.querySelector('.ant-select-dropdown-list-holder')
      const list = scroller?.querySelector('[role=listbox]')
      if (!scroller || !list) return
      scroller.id = list.id
      scroller.setAttribute('role', 'listbox')
      list.removeAttribute('id')
      list.removeAttribute('role')
    }
    unite()
    // If nothing was found there is no list, and a new one afterwards.
    const changes = new MutationObserver(unite)
    changes.observe(element, { childList: true, subtree: true })
    return () => changes.disconnect()
  }, [])
  return <div ref={place}>{children}</div>
}
