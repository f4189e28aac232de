import { useState } from 'react'

export interface Selection {
  /** Both included; undefined where none is selected. */
  range: { from: number; to: number } | undefined
  has(place: number): boolean
  /** A press on a line; with Shift up to it. The only selected line, pressed again, is no longer. */
  press(place: number, isExtending: boolean): void
  /** Goes on by so many lines; from `first` where none is selected. Answers the line it ends at now. */
  extend(by: number, first: number, count: number): number
  clear(): void
}

/** Lines chosen to be copied: from one to another. */
export function useSelection(): Selection {
  const [ends, setEnds] = useState<{ anchor: number; head: number }>()
  const range = ends && { from: Math.min(ends.anchor, ends.head), to: Math.max(ends.anchor, ends.head) }
  return {
    range,
    has: (place) => range !== undefined && place >= range.from && place <= range.to,
    press(place, isExtending) {
      if (isExtending && ends) setEnds({ anchor: ends.anchor, head: place })
      else setEnds(ends?.anchor === place && ends.head === place ? undefined : { anchor: place, head: place })
    },
    extend(by, first, count) {
      const head = Math.min(count - 1, Math.max(0, ends ? ends.head + by : first))
      setEnds({ anchor: ends?.anchor ?? head, head })
      return head
    },
    clear: () => setEnds(undefined),
  }
}
