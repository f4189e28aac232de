import { remoteActionStates, remoteActions } from '@voltkeep/contract/actions'
import { expect, test } from 'vitest'
import { isActionOver, markOf, stateWord, titleOf } from './actions.words.ts'

test('only a report of the device is told as a fact', () => {
  expect(stateWord({ action: 'openDoor', state: 'confirmed' })).toBe('已打开')
  expect(stateWord({ action: 'openDoor', state: 'unconfirmed' })).toBe('已响应，未确认')
  const facts = remoteActions.map((action) => stateWord({ action, state: 'confirmed' }))
  for (const action of remoteActions)
    for (const state of remoteActionStates.filter((one) => one !== 'confirmed'))
      expect(facts).not.toContain(stateWord({ action, state }))
})

test('an action is over where nothing can be told of it any more', () => {
  expect(remoteActionStates.filter((state) => !isActionOver(state))).toEqual(['sent', 'acknowledged'])
  expect(markOf('unconfirmed')).toBe('partly')
})

test('a compartment is named where the action has one', () => {
  expect(titleOf('openDoor', 3)).toBe('开门 · 3号仓')
  expect(titleOf('stopCharging', null)).toBe('停止充电')
})
