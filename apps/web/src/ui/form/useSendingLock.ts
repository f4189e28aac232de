import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/**
 * Locks the fields of a form while its request is pending: what is typed then is not in the request, and would be lost
 * when the dialog closes. After a success they stay locked, as the dialog closes. After a failure the focus returns to
 * the field that had it.
 */
export function useSendingLock(body: RefObject<HTMLElement | null>) {
  const [isLocked, setLocked] = useState(false)
  const focused = useRef<HTMLElement>(null)

  useLayoutEffect(() => {
    const { activeElement } = document
    const dialog = body.current?.closest<HTMLElement>('.ant-modal')
    if (isLocked) {
      const isWithin = activeElement instanceof HTMLElement && body.current?.contains(activeElement)
      focused.current = isWithin ? activeElement : null
      // Otherwise the focus would fall back to the page.
      if (isWithin) dialog?.focus({ preventScroll: true })
    } else if (activeElement === dialog || activeElement === document.body) {
      focused.current?.focus({ preventScroll: true })
    }
  }, [body, isLocked])

  return {
    /** For `inert`. */
    isLocked,
    begin: () => setLocked(true),
    /** Synchronous: the caller may focus a field next. */
    end: () => flushSync(() => setLocked(false)),
  }
}
