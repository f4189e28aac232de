import { useState } from 'react'

export interface Selection {
  /** Both inclusive; undefined without a selection. */
  range: { from: number; to: number } | undefined
  has(place: number): boolean
  /** Selects a line; with Shift, up to this line. Pressing the only selected line again clears the selection. */
  press(place: number, isExtending: boolean): void
  /**
   * Extends the selection by a number of lines; without a selection it starts at `first`. Returns the line where it
   * ends.
   */
  extend(by: number, first: number, count: number): number
  clear(): void
}

/** A range of lines, selected to be copied. */
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
