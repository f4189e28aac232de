import { type FocusEvent, type KeyboardEvent, useRef, useState } from 'react'
import { texts } from '../../lib/texts/index.ts'

/**
 * What is typed into a choice is never lost without a word: Enter takes the first hit (`takeFirst`, where the control
 * does not do so itself), and where nothing was taken when the focus goes, `note` says so.
 */
export function useTyped(takeFirst?: (typed: string) => boolean) {
  const typed = useRef('')
  const hasWalked = useRef(false)
  const [dropped, setDropped] = useState<string>()
  return {
    /** For the control's `onSearch`. */
    onSearch(text: string) {
      // The control empties itself before the focus is told to be gone.
      if (text !== '') {
        typed.current = text
        hasWalked.current = false
        setDropped(undefined)
      }
    },
    /** For the control's `onChange`. */
    onTaken() {
      typed.current = ''
      setDropped(undefined)
    },
    /** On an element around the control. */
    frame: {
      onKeyDownCapture(event: KeyboardEvent<HTMLElement>) {
        if (event.key === 'Backspace' && (event.target as HTMLInputElement).value?.length === 1)
          typed.current = ''
        if (event.key.startsWith('Arrow')) hasWalked.current = true
        if (event.key !== 'Enter' || !takeFirst) return
        const input = event.target as HTMLElement
        if (typed.current === '' && input.ariaExpanded !== 'true') {
          // As in every other field of the form; by itself the control would open.
          event.preventDefault()
          event.stopPropagation()
          input.closest('form')?.requestSubmit()
          return
        }
        if (typed.current === '' || hasWalked.current) return
        event.preventDefault()
        event.stopPropagation()
        const text = typed.current
        const isTaken = takeFirst(text)
        typed.current = ''
        setDropped(isTaken ? undefined : text)
        // Empties and closes the control; the focus stays.
        input.blur()
        input.focus({ preventScroll: true })
      },
      onBlur(event: FocusEvent<HTMLElement>) {
        if (typed.current === '' || event.currentTarget.contains(event.relatedTarget)) return
        setDropped(typed.current)
        typed.current = ''
      },
    },
    note: dropped === undefined ? undefined : texts.list.notChosen(dropped),
  }
}
