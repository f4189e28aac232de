import { useCallback, useLayoutEffect, useRef } from 'react'

/** A field for a file, or for a list that begins empty, is a button. */
const firstField = ':is(input, textarea, button):enabled:not([tabindex="-1"])'

/**
 * A dialog begins with the focus in the first field of its body, and the focus returns when the dialog has closed. antd
 * would move it after the opening animation: what is typed until then would be lost.
 */
export function useFirstFocus(onClose: () => void) {
  const body = useRef<HTMLElement>(null)
  const before = useRef<Element>(null)
  const attach = useCallback((element: HTMLElement | null) => {
    body.current = element
    // With an animation antd renders the body in a second pass, when the dialog is already in the document.
    focusFirst(element)
  }, [])
  // Without an animation the body is rendered at once, and antd adds it to the document just before this effect.
  useLayoutEffect(() => {
    if (!body.current?.contains(document.activeElement)) before.current = document.activeElement
    focusFirst(body.current)
  }, [])

  const dialog = {
    // Again: something that closed meanwhile, such as a menu, may have taken the focus.
    afterOpenChange: (isShown: boolean) => isShown && focusFirst(body.current),
    afterClose() {
      // antd returns the focus only where antd has moved it.
      const { activeElement } = document
      const frame = body.current?.closest('.ant-modal')
      if (activeElement === document.body || frame?.contains(activeElement)) {
        if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true })
      }
      onClose()
    },
  }
  return {
    body,
    /** The ref of the body. */
    attach,
    /** antd's props of the dialog. */
    dialog,
  }
}

function focusFirst(body: HTMLElement | null): void {
  if (!body || body.contains(document.activeElement)) return
  body.querySelector<HTMLElement>(firstField)?.focus({ preventScroll: true })
}
