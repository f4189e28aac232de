// The box of a table within a page or a panel.
import { type ReactNode, type RefObject, useRef } from 'react'
import styles from './TableBox.module.css'
import { useScrollEdges } from './table/useScrollEdges.ts'

export interface TableBoxProps {
  /** Of a box that is as high as its place allows and scrolls: it is a region of this name, reached by Tab. */
  scrollsAs?: string
  /** Its height at most, in pixels. */
  maxHeight?: number
  children: ReactNode
}

/** A framed table that scrolls sideways in its place, and shows at which sides columns are out of sight. */
export function TableBox({ scrollsAs, maxHeight, children }: TableBoxProps) {
  const scroller = useRef<HTMLElement>(null)
  useScrollEdges(scroller)
  const look = { className: styles.box, style: { maxHeight } }
  return scrollsAs === undefined ? (
    <div ref={scroller as RefObject<HTMLDivElement>} {...look}>
      {children}
    </div>
  ) : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section ref={scroller} {...look} aria-label={scrollsAs} tabIndex={0}>
      {children}
    </section>
  )
}
