import { useEffect } from 'react'
import { createStore, useStore } from './store.ts'

// The first content of a page must not share the connection with the rest: the controls of its filters, their choices,
// the pager, the watch for alarms. These are fetched when the first page of a visit is shown. From then on nothing
// waits.

/** A page that never reports its first content, such as one that failed, delays the rest no longer than this. */
const longestMs = 3_000

const hasShown = createStore(false)
/** Lists on show whose rows have not come. */
let awaited = 0

/** From here on nothing waits. */
export function tellShown(): void {
  hasShown.set(true)
}

/** Whether the rest may be fetched. */
export function useHasShown(): boolean {
  return useStore(hasShown)
}

/** For the first content of a page: the first page of a visit counts as shown when all of it is there, and painted. */
export function useShownFirst(isThere: boolean): void {
  useEffect(() => {
    if (hasShown.get()) return
    if (isThere) {
      tellPainted()
      return
    }
    awaited += 1
    return () => {
      awaited -= 1
    }
  }, [isThere])
}

/** Around every page: a page that awaits nothing counts as shown at once. */
export function usePageStands(): void {
  useEffect(() => {
    if (hasShown.get()) return
    tellPainted()
    const timer = setTimeout(tellShown, longestMs)
    return () => clearTimeout(timer)
  }, [])
}

function tellPainted(): void {
  const tell = () => {
    if (awaited === 0) tellShown()
  }
  // A hidden page paints nothing.
  if (document.hidden) setTimeout(tell)
  else requestAnimationFrame(() => setTimeout(tell))
}
