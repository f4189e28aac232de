// @vitest-environment happy-dom
import type { CompartmentRow } from '@voltkeep/contract/compartments'
import { expect, test, vi } from 'vitest'
import { show, until } from '../../../../test/page.tsx'
import { Bins } from './Bins.tsx'

const row = (no: number, rest: Partial<CompartmentRow> = {}): CompartmentRow => ({
  no,
  alarms: [],
  outside: [],
  implausible: [],
  ...rest,
})
const place = (no: number) => document.querySelector<HTMLElement>(`[data-bin="${no}"]`)
const button = (no: number) => place(no)?.querySelector('button')
const press = (no: number, key: string) => {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
  button(no)?.dispatchEvent(event)
  return event.defaultPrevented
}

function drawn(bins: CompartmentRow[], { columns = 2, chosen }: { columns?: number; chosen?: number } = {}) {
  const onChoose = vi.fn()
  show(
    <Bins
      arrangement={{ columns, bins }}
      chosen={chosen}
      measure="soc"
      isStale={false}
      onChoose={onChoose}
    />,
  )
  return onChoose
}

test('a compartment says its state, its figure, its door and its alarm in words', async () => {
  drawn([
    row(1, {
      state: 'charging',
      soc: 61.6,
      isDoorOpen: true,
      batteryCode: 'B1',
      alarms: [{ id: '1', code: 'A', name: '仓位过温', level: 1, startTime: '2026-11-24 08:00:00' }],
    }),
    row(2, { state: 'empty' }),
    row(3),
  ])
  await until(() => expect(button(1)?.textContent).toMatch(/1号仓充电中紧急电量 62%门开仓位过温/))
  expect(button(2)?.textContent).toContain('空仓')
  expect(button(3)?.textContent).toContain('未知')
  expect(place(1)?.dataset.alarm).toBe('1')
  expect(place(2)?.dataset.alarm).toBeUndefined()
})

test('one compartment is in the order of Tab, and arrow keys move it on', async () => {
  drawn([row(1), row(2), row(3)])
  await until(() => expect(button(1)?.tabIndex).toBe(0))
  expect([button(2)?.tabIndex, button(3)?.tabIndex]).toEqual([-1, -1])
  button(1)?.focus()
  expect(press(1, 'ArrowDown')).toBe(true)
  expect(document.activeElement).toBe(button(3))
  await until(() => expect(button(3)?.tabIndex).toBe(0))
  // At an edge it stays, and the page that steps by the same keys is not asked.
  expect(press(3, 'ArrowRight')).toBe(true)
  expect(document.activeElement).toBe(button(3))
  expect(press(3, 'j')).toBe(false)
})

test('the open one follows the keys, and Esc closes it', async () => {
  const onChoose = drawn([row(1), row(2)], { chosen: 1 })
  await until(() => expect(button(1)?.getAttribute('aria-current')).toBe('true'))
  press(1, 'ArrowRight')
  expect(onChoose).toHaveBeenLastCalledWith(2)
  press(1, 'Escape')
  expect(onChoose).toHaveBeenLastCalledWith(undefined)
})
