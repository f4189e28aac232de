// @vitest-environment happy-dom
import { afterEach, expect, test } from 'vitest'
import type { Entry } from './entries.ts'
import { forgetRecent, keepRecent, readRecent } from './recent.ts'

const entry = (key: string, more: Partial<Entry> = {}) =>
  ({ key, kind: 'device', title: key, hint: '', path: '/equipment/list', search: {}, ...more }) as Entry
const keysOf = (userId: string) => readRecent(userId).map(({ key }) => key)

afterEach(() => localStorage.clear())

test('the newest is first, once, and eight are kept', () => {
  for (let n = 1; n <= 9; n += 1) keepRecent('1', entry(`d${n}`))
  keepRecent('1', entry('d5'))
  expect(keysOf('1')).toEqual(['d5', 'd9', 'd8', 'd7', 'd6', 'd4', 'd3', 'd2'])
})

test('each user of a browser has a list of their own, and may forget it', () => {
  keepRecent('1', entry('mine'))
  keepRecent('2', entry('theirs'))
  forgetRecent('1')
  expect([keysOf('1'), keysOf('2')]).toEqual([[], ['theirs']])
})

test('whether a device was online is not kept: it would be outdated', () => {
  keepRecent('1', entry('d1', { isOnline: 1 } as never))
  expect(readRecent('1')[0]).not.toHaveProperty('isOnline')
})

test('what another version left there is passed over', () => {
  localStorage.setItem('voltkeep_search_1', JSON.stringify([{ key: 1 }, entry('d1'), null]))
  expect(keysOf('1')).toEqual(['d1'])
  localStorage.setItem('voltkeep_search_1', '{broken')
  expect(keysOf('1')).toEqual([])
})
