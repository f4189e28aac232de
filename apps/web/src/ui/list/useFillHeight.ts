import { type RefObject, useEffect } from 'react'

/** The specification's: window height less the table's offset less 200. Pages give it what is left, too. */
const spareBelow = 200
const leastHeight = 240

export function fillHeight(windowHeight: number, offset: number): number {
  return Math.max(leastHeight, windowHeight - offset - spareBelow)
}

/**
 * Gives a scrolling table its height, which follows the window and whatever grows above the table. Written on the
 * element when the browser has laid the page out: a height in React's state would draw the table anew for it.
 */
export function useFillHeight(table: RefObject<HTMLElement | null>, isScrolling: boolean): void {
  useEffect(() => {
    const element = table.current
    if (!element || !isScrolling) return
    const measure = () => {
      element.style.flexBasis = `${fillHeight(window.innerHeight, element.offsetTop)}px`
    }
    // The page's own box changes with the filters' wrapping, the window with everything else. It also tells of each
    // when it begins, before the page is painted.
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
