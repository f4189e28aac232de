// @vitest-environment happy-dom
import { act, useState } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { typeInto } from '../../../../test/typing.ts'
import { CodeBox } from './CodeBox.tsx'

let root: Root
let place: HTMLElement
const given = vi.fn()
const submitted = vi.fn()

function Form({ initial }: { initial: unknown }) {
  const [value, setValue] = useState(initial)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submitted()
      }}
    >
      <CodeBox
        id="codes"
        value={value}
        onChange={(codes) => {
          given(codes)
          setValue(codes)
        }}
      />
      <button type="button" onClick={() => setValue(undefined)}>
        重置
      </button>
    </form>
  )
}
const show = (initial?: unknown) => act(async () => root.render(<Form initial={initial} />))
const box = () => place.querySelector('textarea') as HTMLTextAreaElement
const type = (text: string) =>
  act(async () => {
    typeInto(box(), text)
  })

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  place = document.createElement('div')
  document.body.append(place)
  root = createRoot(place)
})
afterEach(async () => {
  await act(async () => root.unmount())
  place.remove()
  vi.unstubAllGlobals()
  vi.clearAllMocks()
})

// proves: rule device codes
test('keeps letters, digits and newlines, and gives the codes of the lines', async () => {
  await show()
  await type('EC-01 柜\r\nec02;\n\n<b>')
  expect(box().value).toBe('EC01\nec02\n\nb')
  expect(given).toHaveBeenLastCalledWith(['EC01', 'ec02', 'b'])
  expect(place.textContent).toContain('3 个')
})

test('shows what an address has, one per line, and follows a reset', async () => {
  await show('A1,A2')
  expect(box().value).toBe('A1\nA2')
  await act(async () => place.querySelector<HTMLElement>('form > button')?.click())
  expect(box().value).toBe('')
  expect(place.textContent).not.toContain('个')
})

test('is cleared by its button, and sends its form by Ctrl+Enter', async () => {
  await show(['A1'])
  const press = (init: KeyboardEventInit) =>
    act(async () =>
      box().dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, ...init })),
    )
  await press({})
  expect(submitted).not.toHaveBeenCalled()
  await press({ ctrlKey: true })
  expect(submitted).toHaveBeenCalledTimes(1)
  await act(async () => place.querySelector<HTMLElement>('[aria-label="清除编号"]')?.click())
  expect([box().value, given.mock.lastCall]).toEqual(['', [[]]])
})
