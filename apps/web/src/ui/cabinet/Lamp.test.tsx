// @vitest-environment happy-dom
import { expect, it, test } from 'vitest'
import { show, shown, until } from '../../../test/page.tsx'
import { Lamp, Lamps } from './Lamp.tsx'
import { lampCodeOf, lampLookOf, lampWord } from './lamps.ts'

it.each([
  ['0', '灭', 'off', null],
  ['1', '红灯常亮', 'red', null],
  ['2', '绿灯常亮', 'green', null],
  ['3', '蓝灯常亮', 'blue', null],
  ['4', '黄灯常亮', 'yellow', null],
  ['5', '红灯闪烁', 'red', 'true'],
  ['6', '绿灯闪烁', 'green', 'true'],
  ['7', '蓝灯闪烁', 'blue', 'true'],
  ['8', '黄灯闪烁', 'yellow', 'true'],
  ['9', '未知', 'unknown', null],
])('lamp code %s is %s, in its colour and blinking or not', async (code, word, colour, blinking) => {
  show(<Lamp code={code} />)
  await until(() => expect(document.querySelector('[role=img]')?.getAttribute('aria-label')).toBe(word))
  const lamp = document.querySelector('[role=img]')
  expect(lamp?.getAttribute('data-colour')).toBe(colour)
  expect(lamp?.getAttribute('data-blinking')).toBe(blinking)
})

test('a look and its code are one to one, and what is no code has no look', () => {
  for (const code of '012345678') expect(lampCodeOf(lampLookOf(code) as never)).toBe(code)
  for (const code of ['9', '', 'a', '10', '-1']) {
    expect(lampLookOf(code)).toBeUndefined()
    expect(lampWord(code)).toBe('未知')
  }
})

test('lamps stand in their order and are numbered', async () => {
  show(<Lamps codes="6201" />)
  await until(() => expect(document.querySelectorAll('[role=img]')).toHaveLength(4))
  const words = [...document.querySelectorAll('[role=img]')].map((lamp) => lamp.getAttribute('aria-label'))
  expect(words).toEqual(['绿灯闪烁', '绿灯常亮', '灭', '红灯常亮'])
  expect(shown()).toContain('4')
})
