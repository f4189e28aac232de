import { useEffect } from 'react'
import { createStore, useStore } from './store.ts'

// What a page shows first is not to share the line with what can wait: the controls of its filters, their choices,
// the pager, the watch for alarms. They are fetched when the first page of a visit stands. From then on nothing waits.

/** A page that never says that it stands, such as one that failed, keeps nothing back for longer. */
const longestMs = 3_000

const hasShown = createStore(false)
/** Lists on show whose rows have not come. */
let awaited = 0

/** From here on nothing waits. */
export function tellShown(): void {
  hasShown.set(true)
}

/** Whether what can wait may be fetched. */
export function useHasShown(): boolean {
  return useStore(hasShown)
}

/** For what a page shows first: the first page of a visit stands when all of these are there, and painted. */
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

/** Around every page: one that awaits nothing stands at once. */
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
  // A page out of sight paints nothing.
  if (document.hidden) setTimeout(tell)
  else requestAnimationFrame(() => setTimeout(tell))
}
