import { type RefObject, useLayoutEffect, useState } from 'react'

/** Rows drawn beyond each edge, so that a quick turn of the wheel shows no gap. */
const overscan = 12

export interface RowWindow {
  first: number
  /** One after the last. */
  end: number
}

/**
 * The visible rows among many rows of one height in a scrolling element. Thousands of table rows cost the browser a
 * second of layout; some fifty do not.
 */
export function useWindow(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowPx: number,
  headPx: number,
): RowWindow {
  const [edges, setEdges] = useState({ top: 0, height: 800 })
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const measure = () => {
      const next = { top: element.scrollTop, height: element.clientHeight }
      setEdges((known) => (known.top === next.top && known.height === next.height ? known : next))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    element.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [scroller])
  const first = Math.max(0, Math.floor((edges.top - headPx) / rowPx) - overscan)
  return {
    first: Math.min(first, count),
    end: Math.min(count, first + Math.ceil(edges.height / rowPx) + 2 * overscan),
  }
}
