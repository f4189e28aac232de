import { expect, test, vi } from 'vitest'
import { createInbox } from './live.inbox.ts'

test('an inbox holds the newest state of each thing', () => {
  const onPut = vi.fn()
  const inbox = createInbox<string, string>(10, onPut)
  expect(inbox.take()).toBeNull()
  inbox.putAlarm('1', 'opened')
  inbox.putAlarm('1', 'recovered')
  inbox.putDevice(1, 'online')
  expect(onPut).toHaveBeenCalledTimes(3)
  expect(inbox.take()).toEqual({ alarms: ['recovered'], devices: ['online'], isMissed: false })
  expect(inbox.take()).toBeNull()
})

test('an inbox that overflows says only that something was missed', () => {
  const inbox = createInbox<string, string>(2, () => undefined)
  for (const id of ['1', '2', '3', '4']) inbox.putAlarm(id, 'opened')
  expect(inbox.take()).toEqual({ alarms: [], devices: [], isMissed: true })
  inbox.putAlarm('5', 'opened')
  expect(inbox.take()).toEqual({ alarms: ['5'].map(() => 'opened'), devices: [], isMissed: false })
})
