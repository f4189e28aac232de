import { expect, test } from 'vitest'
import { leftOutLine } from './leftOut.ts'

const line = (leftOut: readonly { reason: string; devices: number }[]) =>
  leftOutLine(
    leftOut,
    (count) => `不设置 ${count} 台`,
    ({ reason }) => reason,
  )

test('the devices are summed, and each reason has its number in the order given', () => {
  expect(
    line([
      { reason: '已是该值', devices: 1_010 },
      { reason: '正在升级', devices: 2 },
    ]),
  ).toBe('不设置 1,012 台：已是该值 1,010，正在升级 2')
})

test('a reason without devices is not named, and nothing is said where none has any', () => {
  expect(
    line([
      { reason: '已是该值', devices: 0 },
      { reason: '正在升级', devices: 2 },
    ]),
  ).toBe('不设置 2 台：正在升级 2')
  expect(line([{ reason: '已是该值', devices: 0 }])).toBeUndefined()
  expect(line([])).toBeUndefined()
})
