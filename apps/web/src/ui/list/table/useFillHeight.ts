import { type RefObject, useEffect } from 'react'

/** From the specification: window height less the table's offset less 200. Pages give it the remaining height, too. */
const spareBelow = 200
const leastHeight = 240

export function fillHeight(windowHeight: number, offset: number): number {
  return Math.max(leastHeight, windowHeight - offset - spareBelow)
}

/**
 * Gives a scrolling table its height, which follows the window and the elements above the table. Written on the element
 * after the browser's layout: a height in React's state would render the table once more.
 */
export function useFillHeight(table: RefObject<HTMLElement | null>, isScrolling: boolean): void {
  useEffect(() => {
    const element = table.current
    if (!element || !isScrolling) return
    const measure = () => {
      element.style.flexBasis = `${fillHeight(window.innerHeight, element.offsetTop)}px`
    }
    // The page's own box changes with the filters' wrapping, the window with everything else. The observer also reports
    // each when it begins, before the page is painted.
    const observer = new ResizeObserver(measure)
    for (const sibling of element.parentElement?.children ?? []) {
      if (sibling !== element) observer.observe(sibling)
    }
    window.addEventListener('resize', measure)
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', measure)
      element.style.flexBasis = ''
    }
  })
}
