// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { openedBeside } from './useWalk.ts'

const listBehind = (key: string, before: object) => {
  const { state } = openedBeside(key)
  return typeof state === 'function' ? state(before) : state
}

test('what is created in a list leads back to the list as it is filtered', () => {
  history.replaceState(null, '', '/upgrade/upgradeTask?version=9.1')
  expect(listBehind('task', {})).toEqual({ list: { version: '9.1' } })
})

test('what is created from a detail leads back to the list behind that, and has no neighbours', () => {
  history.replaceState(null, '', '/upgrade/upgradeTask?task=7')
  expect(listBehind('task', { list: { version: '9.1' }, around: ['7', '8'] })).toEqual({
    list: { version: '9.1' },
  })
  expect(listBehind('task', {})).toEqual({})
})
