// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { show, until } from '../../../test/page.tsx'
import { askToConfirm } from './Confirmation.tsx'

const button = (label: string) =>
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent === label)
/** A press of the pointer: the first in its place, or the second of a double click. */
const press = (label: string, count: 1 | 2) =>
  button(label)?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: count }))

test('the second press of a double click neither answers the question nor reaches what lies under it', async () => {
  const answers: boolean[] = []
  let under = 0
  show(
    <>
      <button
        type="button"
        onClick={() => void askToConfirm({ title: '删除' }).then((yes) => answers.push(yes))}
      >
        删除设备
      </button>
      <button type="button" onClick={() => under++}>
        其下
      </button>
    </>,
  )
  await until(() => expect(button('删除设备')).toBeDefined())
  press('删除设备', 1)
  await until(() => expect(button('确定')).toBeDefined())
  press('确定', 2)
  press('确定', 1)
  await until(() => expect(answers).toEqual([true]))
  await until(() => expect(button('确定')).toBeUndefined())
  press('其下', 2)
  expect(under).toBe(0)
  press('其下', 1)
  expect(under).toBe(1)
})
