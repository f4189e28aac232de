import { expect, test } from 'vitest'
import { curveText, hasBand } from './chart.words.ts'

test('a switch is said as a word, and of a stretch in which it was both how much it was on', () => {
  const isSwitch = true
  expect([0, 1, 0.25].map((value) => curveText({ isSwitch }, value))).toEqual(['否', '是', '25% 是'])
  expect(curveText({}, 1)).toBe('1')
  const of = { key: 'a', name: 'a', unit: null, points: [] }
  expect(hasBand(of, [0, 0, 1, 0.25, 1])).toBe(true)
  expect(hasBand({ ...of, isSwitch }, [0, 0, 1, 0.25, 1])).toBe(false)
})
