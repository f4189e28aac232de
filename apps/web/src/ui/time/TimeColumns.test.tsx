// @vitest-environment happy-dom
import { useState } from 'react'
import { expect, test } from 'vitest'
import { show, until } from '../../../test/page.tsx'
import { DateTimeInput } from '../form/DateTimeInput.tsx'

function Moment() {
  const [value, setValue] = useState<string | undefined>('2026-11-22 10:20:30')
  return (
    <>
      <DateTimeInput id="at" value={value} onChange={setValue} />
      <output>{value}</output>
    </>
  )
}

const field = () => document.querySelector<HTMLInputElement>('#at')
const focused = () => document.activeElement as HTMLElement
const key = (name: string) =>
  focused().dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }))
const chosen = () => document.querySelector('output')?.textContent

test('hour, minute and second are chosen by keys: ↓ leads to them from the field, Esc back', async () => {
  show(<Moment />)
  await until(() => expect(field()).not.toBeNull())
  field()?.focus()
  field()?.click()
  const columns = () => [...document.querySelectorAll<HTMLElement>('.ant-picker-time-panel-column')]
  await until(() =>
    expect(columns().map((column) => column.getAttribute('aria-label'))).toEqual(['时', '分', '秒']),
  )
  key('ArrowDown')
  expect(focused()).toBe(columns()[0])
  key('ArrowDown')
  await until(() => expect(field()?.value).toBe('2026-11-22 11:20:30'))
  expect(columns()[0]?.querySelector('[aria-selected=true]')?.textContent).toBe('11')
  expect(columns().every(({ tabIndex }) => tabIndex === 0)).toBe(true)
  columns()[2]?.focus()
  key('Home')
  await until(() => expect(field()?.value).toBe('2026-11-22 11:20:00'))
  key('ArrowUp')
  expect(field()?.value).toBe('2026-11-22 11:20:00')
  key('Escape')
  expect(focused()).toBe(field())
  key('Enter')
  await until(() => expect(chosen()).toBe('2026-11-22 11:20:00'))
})
