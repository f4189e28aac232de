/** Types the text in place of what the element has: the value is there, then the event. */
export function typeInto(element: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  // React ignores a value that was set through its own instance property.
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), 'value') ?? {}
  set?.call(element, text)
  element.dispatchEvent(new Event('input', { bubbles: true }))
}
