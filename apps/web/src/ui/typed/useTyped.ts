import { type FocusEvent, type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { texts } from '../../lib/texts/index.ts'

const words = texts.list

export interface TypedChoices {
  /** Takes what the control lists first for the text; false where it lists nothing. */
  takeFirst: (text: string) => boolean
  /** More choices are on their way. */
  isReading: boolean
}

/**
 * What is typed into a choice is never lost without a word. antd takes the choice that it has marked, and marks it as the
 * text changes: choices that come after the last letter are listed and not marked, and Enter takes none of them. Where
 * Enter left the text alone, the first hit is taken here, at once or as soon as the choices are there. `note` says so
 * meanwhile, and where nothing was taken.
 */
export function useTyped({ takeFirst, isReading }: TypedChoices) {
  /** Since something was last taken. */
  const typed = useRef('')
  /** Enter was pressed on it before the choices were there. */
  const [awaited, setAwaited] = useState<string>()
  const [dropped, setDropped] = useState<string>()

  const begin = (text: string) => {
    typed.current = text
    setAwaited(undefined)
    setDropped(undefined)
  }
  const takeHit = (text: string) => {
    const isTaken = takeFirst(text)
    typed.current = ''
    setAwaited(isTaken || !isReading ? undefined : text)
    setDropped(isTaken || isReading ? undefined : text)
  }
  useEffect(() => {
    if (awaited !== undefined && !isReading) takeHit(awaited)
  })

  return {
    /** For the control's `onChange`. */
    onTaken: () => begin(''),
    /** On an element around the control. */
    frame: {
      // Not in the capture phase: React would write what that sets before the control has heard of the letter, and with
      // it the control's former text over the letter.
      onInput: (event: FormEvent<HTMLElement>) => begin((event.target as HTMLInputElement).value),
      // After the control's own: what it has taken itself is not taken twice.
      onKeyDown(event: KeyboardEvent<HTMLElement>) {
        // Enter also ends the writing of a Chinese word, which chooses nothing.
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Escape') typed.current = ''
        const text = typed.current.trim()
        if (event.key !== 'Enter' || text === '') return
        takeHit(text)
        // Empties the control and closes it; the focus stays.
        const input = event.target as HTMLElement
        input.blur()
        input.focus({ preventScroll: true })
      },
      onBlur(event: FocusEvent<HTMLElement>) {
        const text = typed.current.trim()
        if (text === '' || event.currentTarget.contains(event.relatedTarget)) return
        setDropped(text)
        typed.current = ''
      },
    },
    isDropped: dropped !== undefined,
    note:
      dropped !== undefined
        ? words.notChosen(dropped)
        : awaited !== undefined
          ? words.choosing(awaited)
          : undefined,
  }
}
