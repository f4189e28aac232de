import { type RefObject, useEffect } from 'react'

/**
 * Writes on a scroller, as `data-more`, at which sides its content continues out of sight; and `inner` once a column
 * that has scrolled along has stopped at the left.
 */
export function useScrollEdges(scroller: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const look = () => {
      const { scrollLeft, scrollWidth, clientWidth } = element
      // A fraction of a pixel is invisible.
      const sides = [scrollLeft > 1 && 'left', scrollLeft + clientWidth < scrollWidth - 1 && 'right']
      if (scrollLeft > 1 && hasStopped(element)) sides.push('inner')
      element.setAttribute('data-more', sides.filter(Boolean).join(' '))
    }
    // It also reports at once, after the browser's layout: measuring before would force a layout.
    const observer = new ResizeObserver(look)
    observer.observe(element)
    if (element.firstElementChild) observer.observe(element.firstElementChild)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', look)
    }
  })
}

function hasStopped(scroller: HTMLElement): boolean {
  const column = scroller.querySelector<HTMLElement>('th[data-inner]')
  if (!column) return false
  const px = column.getBoundingClientRect().left - scroller.getBoundingClientRect().left
  return px < Number.parseFloat(column.style.left) + 1
}
