import { useSyncExternalStore } from 'react'

/** The specification's breakpoint: below it the sidebar is a drawer. */
export const mobileQuery = '(width < 992px)'
/** Where a table's rows become cards. */
export const narrowQuery = '(width < 768px)'

/** For users who are disturbed by motion; base.css has the same words. */
export const stillQuery = '(prefers-reduced-motion: reduce)'

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    () => window.matchMedia(query).matches,
  )
}
