// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { show, until } from '../../../../test/page.tsx'
import { typeInto } from '../../../../test/typing.ts'
import { logTexts } from '../logs.texts.ts'
import { SearchBox } from './SearchBox.tsx'
import type { LogView } from './useLogView.ts'

const words = logTexts.viewer
const state = { hits: 0, isOver: true, isCapped: false }
const box = () => document.querySelector<HTMLInputElement>(`input[aria-label="${words.search}"]`)

/** `keyCode` 229 is Safari's only mark of a composition, which has ended before the keydown. */
function press(key: string, { isComposing = false, keyCode = 0 } = {}) {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, isComposing })
  Object.defineProperty(event, 'keyCode', { value: keyCode })
  box()?.dispatchEvent(event)
}

test('Enter searches and steps on, and not while a Chinese word is composed; nor does its Esc clear', async () => {
  const view = { query: undefined, hit: undefined, search: vi.fn(), step: vi.fn() }
  show(<SearchBox view={view as unknown as LogView} state={state as never} input={{ current: null }} />)
  await until(() => expect(box()).not.toBeNull())
  const input = box() as HTMLInputElement
  typeInto(input, '告警')
  // The pause after typing searches by itself.
  await until(() => expect(view.search).toHaveBeenCalledTimes(1))
  for (const composition of [{ isComposing: true }, { keyCode: 229 }]) {
    press('Enter', composition)
    press('Escape', composition)
  }
  await new Promise((resolve) => setTimeout(resolve))
  expect(view.search).toHaveBeenCalledTimes(1)
  expect(input.value).toBe('告警')
  press('Enter')
  await until(() => expect(view.search).toHaveBeenCalledTimes(2))
  expect(view.search).toHaveBeenLastCalledWith({ text: '告警', isCaseSensitive: false })
})
