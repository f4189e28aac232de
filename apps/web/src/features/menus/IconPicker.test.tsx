// @vitest-environment happy-dom
import { useState } from 'react'
import { expect, test } from 'vitest'
import { press, show, until } from '../../../test/page.tsx'
import { typeInto } from '../../../test/typing.ts'
import IconPicker from './IconPicker.tsx'
import { menuTexts } from './menus.texts.ts'

const words = menuTexts.iconPicker
const search = () => document.querySelector<HTMLInputElement>(`input[aria-label="${words.search}"]`)
const chosen = () => document.querySelector('output')?.textContent

function Picker() {
  const [name, setName] = useState<string>()
  return (
    <>
      <IconPicker value={name} onChange={setName} />
      <output>{name}</output>
    </>
  )
}

/** Presses a key in the search field, and waits until React has rendered the result. */
async function key(name: string, isComposing: boolean) {
  const event = new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, isComposing })
  search()?.dispatchEvent(event)
  await new Promise((resolve) => setTimeout(resolve))
}

test('Enter and Esc that end an IME composition neither choose an icon nor close the panel', async () => {
  show(<Picker />)
  await press(words.choose)
  await until(() => expect(search()).not.toBeNull())
  const input = search() as HTMLInputElement
  typeInto(input, 'user')
  await until(() => expect(document.querySelectorAll('fieldset button[title]').length).toBeLessThan(5))
  await key('Escape', true)
  expect(search()).not.toBeNull()
  await key('Enter', true)
  expect(search()).not.toBeNull()
  expect(chosen()).toBe('')
  await key('Enter', false)
  await until(() => expect(chosen()).toBe('user'))
  expect(search()).toBeNull()
})
