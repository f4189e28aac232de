import { type FocusEvent, type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { isComposing } from '../../lib/browser/composing.ts'
import { texts } from '../../lib/texts/index.ts'

const words = texts.list

export interface TypedChoices {
  /** Chooses the first of the choices listed for the text; false where none is listed. */
  chooseFirst: (text: string) => boolean
  /** More choices are loading. */
  isReading: boolean
}

/**
 * Text that is typed into a choice is never lost silently. antd chooses the marked choice, and marks one as the text
 * changes: choices that come after the last letter are listed and not marked, so Enter chooses none of them. Where
 * Enter left the text alone, the first hit is chosen here, at once or as soon as the choices are there. `note` says so
 * meanwhile, and where nothing was chosen.
 */
export function useTyped({ chooseFirst, isReading }: TypedChoices) {
  /** The text since the last choice. */
  const typed = useRef('')
  /** The text that Enter was pressed on before the choices were there. */
  const [awaited, setAwaited] = useState<string>()
  const [dropped, setDropped] = useState<string>()

  const begin = (text: string) => {
    typed.current = text
    setAwaited(undefined)
    setDropped(undefined)
  }
  const chooseHit = (text: string) => {
    const isChosen = chooseFirst(text)
    typed.current = ''
    setAwaited(isChosen || !isReading ? undefined : text)
    setDropped(isChosen || isReading ? undefined : text)
  }
  useEffect(() => {
    if (awaited !== undefined && !isReading) chooseHit(awaited)
  })

  return {
    /** For the control's `onChange`. */
    onChosen: () => begin(''),
    /** Props of an element around the control. */
    frame: {
      // Not in the capture phase: React would write that state before the control has received the letter, and with it
      // the control's former text over the letter.
      onInput: (event: FormEvent<HTMLElement>) => begin((event.target as HTMLInputElement).value),
      // After the control's own handler: its own choice is not made twice.
      onKeyDown(event: KeyboardEvent<HTMLElement>) {
        // Enter also ends the input of a Chinese word, which chooses nothing.
        if (isComposing(event.nativeEvent)) return
        if (event.key === 'Escape') typed.current = ''
        const text = typed.current.trim()
        if (event.key !== 'Enter' || text === '') return
        chooseHit(text)
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
