import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** The specification's: window height less the table's offset less 200. Pages give it what is left, too. */
const spareBelow = 200
const leastHeight = 240

export function fillHeight(windowHeight: number, offset: number): number {
  return Math.max(leastHeight, windowHeight - offset - spareBelow)
}

/** Height of a scrolling table, following the window and whatever grows above the table. */
export function useFillHeight<E extends HTMLElement>(): [RefObject<E | null>, number] {
  const element = useRef<E>(null)
  const [height, setHeight] = useState(leastHeight)
  useLayoutEffect(() => {
    const measured = element.current
    if (!measured) return
    const measure = () => setHeight(fillHeight(window.innerHeight, measured.offsetTop))
    measure()
    // The page's own box changes with the filters' wrapping, the window with everything else.
    const observer = new ResizeObserver(measure)
    for (const sibling of measured.parentElement?.children ?? []) {
      if (sibling !== measured) observer.observe(sibling)
    }
    window.addEventListener('resize', measure)
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', measure)
    }
  })
  return [element, height]
}
