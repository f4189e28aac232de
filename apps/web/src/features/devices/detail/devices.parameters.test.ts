import { expect, it } from 'vitest'
import { meaningOf } from './devices.parameters.ts'

const lampNames = new Map([
  ['0', '熄灭'],
  ['2', '绿灯常亮'],
  ['6', '绿灯闪烁'],
])

it.each([
  ['02121006', '60', '单位℃', '℃'],
  ['02121005', '95', '0到100，单位%', '%'],
  ['02121005', '0', '0到100', undefined],
  ['02121001', '0', '0常开，1常闭', '常开'],
  ['02121001', '1', '0常开，1常闭', '常闭'],
  ['02121001', '2', '0常开，1常闭', undefined],
  ['02121011', '10.0.0.1:1883', '格式为ip:port', undefined],
  ['02121010', '620', '7个指示灯的灯码依次相连，每位0到8', '绿灯闪烁、绿灯常亮、熄灭'],
  ['02121010', '69', '7个指示灯的灯码依次相连，每位0到8', undefined],
  ['09999999', '1', null, undefined],
])('parameter %s with the value %s and the note %s means %s', (id, value, note, meaning) => {
  expect(meaningOf({ id, value }, { note, lampNames })).toBe(meaning)
})
