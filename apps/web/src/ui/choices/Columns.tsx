import { type ReactNode, useEffect, useRef } from 'react'
import styles from './choices.module.css'

/**
 * A cascader's columns, as wide as the page at most, scrolled to the last one, which is next to be chosen from. The
 * arrow keys walk them from the field; a screen reader can also enter each.
 */
export function Columns({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    const follow = () => {
      const columns = element.querySelector('.ant-cascader-menus')
      columns?.scrollTo({ left: columns.scrollWidth })
      for (const column of element.querySelectorAll<HTMLElement>('.ant-cascader-menu')) column.tabIndex = 0
    }
    // Pressing a region adds or drops columns, opening the list gives it its size; antd reports neither.
    const changes = new MutationObserver(follow)
    changes.observe(element, { childList: true, subtree: true })
    const sizes = new ResizeObserver(follow)
    sizes.observe(element)
    return () => {
      changes.disconnect()
      sizes.disconnect()
    }
  }, [])
  return (
    <div ref={place} className={styles.columns}>
      {children}
    </div>
  )
}
