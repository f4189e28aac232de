// What the field of the search and the list below it tell each other.
import type { RefObject } from 'react'

/** What the field tells of the list below it. */
export interface Listed {
  activeId: string | undefined
  hasEntries: boolean
}

export interface ResultKeys {
  step(by: 1 | -1): void
  /** Goes to the active entry, if it is one of the text for which Enter was pressed. */
  enter(): void
}

export interface ResultsProps {
  listId: string
  keyword: string
  keys: RefObject<ResultKeys | null>
  /** The text for which Enter was pressed, until it has led somewhere. */
  enteredRef: RefObject<string | undefined>
  onListed: (listed: Listed) => void
  onClose: () => void
}
