/** The longest time between the two presses of a double click, as systems have it. */
const doubleClickMs = 500
const types = ['mousedown', 'mouseup', 'click', 'dblclick'] as const

/**
 * Drops the second press of a double click that is under way. Call it when a dialog has come or gone by the first: the
 * second would meet what nobody aimed at, such as the button that confirms, or a box under the dialog.
 */
export function dropSecondPress(): void {
  const drop = (event: MouseEvent) => {
    // The count of presses in one place; a single press has 1, a press by the keyboard 0.
    if (event.detail < 2) return
    event.preventDefault()
    event.stopPropagation()
  }
  for (const type of types) window.addEventListener(type, drop, { capture: true })
  setTimeout(() => {
    for (const type of types) window.removeEventListener(type, drop, { capture: true })
  }, doubleClickMs)
}
