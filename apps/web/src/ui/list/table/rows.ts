import type { KeyboardEvent, MouseEvent } from 'react'

// The behaviour of a row under pointer and keys, in every table, list of cards and tree.

/** A press that means the row: not one on a control inside it, nor the end of selecting text. */
export function isRowPress(event: MouseEvent<HTMLElement>): boolean {
  if ((event.target as Element).closest('a, button, input, label, [role="button"], [popover]')) return false
  return (window.getSelection()?.toString() ?? '') === ''
}

/** The row that has the focus itself; undefined while a control inside a row has it. */
export function focusedRow(event: KeyboardEvent<HTMLElement>): HTMLElement | undefined {
  const target = event.target as HTMLElement
  return 'key' in target.dataset ? target : undefined
}

/** Where a key moves the focus among a number of rows; undefined for keys that do not. */
export function rowStep(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, count - 1)
    case 'ArrowUp':
      return Math.max(at - 1, 0)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}
