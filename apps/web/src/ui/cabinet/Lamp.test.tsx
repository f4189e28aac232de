// @vitest-environment happy-dom
import { expect, it, test } from 'vitest'
import { show, shown, until } from '../../../test/page.tsx'
import { Lamp, Lamps } from './Lamp.tsx'
import { ParameterValue } from './ParameterValue.tsx'

// proves: rule lamp codes
it.each([
  [0, '熄灭', 'off', null],
  [1, '红灯常亮', 'red', null],
  [2, '绿灯常亮', 'green', null],
  [3, '蓝灯常亮', 'blue', null],
  [4, '黄灯常亮', 'yellow', null],
  [5, '红灯闪烁', 'red', 'true'],
  [6, '绿灯闪烁', 'green', 'true'],
  [7, '蓝灯闪烁', 'blue', 'true'],
  [8, '黄灯闪烁', 'yellow', 'true'],
  [9, '未知', 'unknown', null],
])('lamp code %i is %s, in its colour and blinking or not', async (code, word, colour, blinking) => {
  show(<Lamp code={code} />)
  const lamp = () => document.querySelector('[role=img]')
  await until(() => expect(lamp()?.getAttribute('aria-label')).toBe(word))
  expect(lamp()?.getAttribute('data-colour')).toBe(colour)
  expect(lamp()?.getAttribute('data-blinking')).toBe(blinking)
})

const titles = () => [...document.querySelectorAll('li')].map(({ title }) => title)

test('the lamps of a cabinet stand in their order, each by its name', async () => {
  show(<Lamps value="6200001" />)
  await until(() => expect(titles()).toHaveLength(7))
  expect(titles().slice(0, 2)).toEqual(['电源指示灯 绿灯闪烁', '网络指示灯 绿灯常亮'])
  expect(titles()[6]).toBe('消防指示灯 红灯常亮')
})

test('what is no lamp code is shown as it is', async () => {
  show(<Lamps value="9" />)
  await until(() => expect(shown()).toContain('9'))
  expect(titles()).toEqual([])
})

// proves: rule door feedback
it.each([
  ['02121001', '0', '常开'],
  ['02121001', '1', '常闭'],
  ['02121005', '95', '95%'],
  ['02121006', '60', '60℃'],
  ['02121011', '10.0.0.1:1883', '10.0.0.1:1883'],
  ['02121006', null, '—'],
])('parameter %s with the value %s reads %s', async (id, value, text) => {
  show(<ParameterValue id={id} value={value} />)
  await until(() => expect(shown()).toContain(text))
})
