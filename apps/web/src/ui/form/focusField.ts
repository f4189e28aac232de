import type { FormInstance } from 'antd'

const typedInto = ':is(input, textarea):enabled'

/**
 * Focuses a field's control. A control that is made of several, such as a list of entries, cannot take the focus
 * itself: there it is the first control of what is marked with `data-wrong`, or else the first of all.
 */
export function focusField(form: FormInstance, path: string[]): void {
  form.focusField(path)
  const control = document.getElementById(path.join('_'))
  if (!control || control.contains(document.activeElement)) return
  const inner =
    control.querySelector<HTMLElement>(`[data-wrong] ${typedInto}`) ??
    control.querySelector<HTMLElement>(typedInto) ??
    control.querySelector<HTMLElement>('button:enabled')
  inner?.focus()
}
