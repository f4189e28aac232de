import { expect, test, vi } from 'vitest'
import { createInbox } from './subscriber-inbox.ts'

const range = (count: number) => Array.from({ length: count }, (_, at) => String(at))

test('an inbox names each row once, added and changed separately', () => {
  const onPut = vi.fn()
  const inbox = createInbox(onPut)
  expect(inbox.take()).toEqual([])
  inbox.put('alarms', 'added', ['1'])
  inbox.put('alarms', 'changed', ['1', '2'])
  inbox.put('alarms', 'changed', ['2'])
  inbox.put('devices', 'changed', ['7'])
  inbox.put('devices', 'added', [])
  expect(inbox.take()).toEqual([
    { type: 'changed', noun: 'alarms', added: ['1'], changed: ['1', '2'] },
    { type: 'changed', noun: 'devices', added: [], changed: ['7'] },
  ])
  expect(inbox.take()).toEqual([])
  onPut.mockClear()
  inbox.put('devices', 'added', [])
  expect(onPut).not.toHaveBeenCalled()
})

test('a noun with more changes than one event names is missed, the others are not', () => {
  const inbox = createInbox(() => undefined)
  inbox.put('devices', 'changed', ['7'])
  inbox.put('alarms', 'added', range(200))
  inbox.put('alarms', 'added', ['200'])
  // After a miss, further ids take no memory.
  inbox.put('alarms', 'changed', ['5'])
  expect(inbox.take()).toEqual([
    { type: 'changed', noun: 'devices', added: [], changed: ['7'] },
    { type: 'missed', noun: 'alarms' },
  ])
  inbox.put('alarms', 'added', range(200))
  expect(inbox.take()).toEqual([{ type: 'changed', noun: 'alarms', added: range(200), changed: [] }])
})

test('a miss of everything covers all waiting and later changes', () => {
  const inbox = createInbox(() => undefined)
  inbox.put('alarms', 'added', ['1'])
  inbox.putMissed()
  inbox.putMissed('devices')
  inbox.put('alarms', 'added', ['2'])
  expect(inbox.take()).toEqual([{ type: 'missed' }])
})
