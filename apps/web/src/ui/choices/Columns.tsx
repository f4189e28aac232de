import { type ReactNode, useEffect, useRef } from 'react'
import styles from './choices.module.css'

/** A cascader's columns, as wide as the page at most: scrolled to the last one, the one to choose from next. */
export function Columns({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    const scrollToLast = () => {
      const columns = element.querySelector('.ant-cascader-menus')
      columns?.scrollTo({ left: columns.scrollWidth })
    }
    // Pressing a region adds or drops columns, opening the list gives it its size; antd tells of neither.
    const changes = new MutationObserver(scrollToLast)
    changes.observe(element, { childList: true, subtree: true })
    const sizes = new ResizeObserver(scrollToLast)
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
