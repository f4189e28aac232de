import { useLayoutEffect, useRef } from 'react'

const openDialog = 'dialog[open], .ant-modal-wrap:not([style*="display: none"])'

/** Ctrl K or ⌘ K, wherever the focus is; not over an open dialog, which the user has to answer first. */
export function useSearchKey(open: () => void): void {
  const latest = useRef(open)
  // Before the layout is painted: who sees it may press the keys.
  useLayoutEffect(() => {
    latest.current = open
  })
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      if (event.altKey || event.shiftKey || event.isComposing) return
      // The browser's own Ctrl K leads away from the console.
      event.preventDefault()
      if (!document.querySelector(openDialog)) latest.current()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}
