import type { AlarmRow } from '@voltkeep/contract/alarms'
import { expect, test } from 'vitest'
import { deedsOf, type Rights } from './deeds.ts'

const all: Rights = { mayAck: true, mayAssign: true, mayClose: true, mayShelve: false, ownName: '张三' }
const alarm = (fields: Partial<AlarmRow>) =>
  ({ handling: 'unacknowledged', assigneeName: null, ackTime: null, causeName: null, ...fields }) as AlarmRow

test.each<[string, Partial<AlarmRow>, Partial<Rights>, string]>([
  ['an untouched alarm', {}, {}, 'ack claim close assign note'],
  [
    'one that is over and not seen',
    { handling: 'recoveredUnacknowledged' },
    {},
    'ack claim close assign note',
  ],
  ['one that was seen', { handling: 'acknowledged', ackTime: 'T' }, {}, 'claim close assign note unack'],
  [
    'one’s own',
    { handling: 'inProgress', ackTime: 'T', assigneeName: '张三' },
    { mayAssign: false },
    'close note release unack',
  ],
  [
    'another’s, without the right to assign',
    { handling: 'inProgress', ackTime: 'T', assigneeName: '李四' },
    { mayAssign: false },
    'close note unack',
  ],
  ['a closed one', { handling: 'closed', ackTime: 'T', causeName: '误报' }, {}, 'note unack'],
  [
    'one that is done and has no cause',
    { handling: 'closed', ackTime: 'T' },
    {},
    'claim close assign note unack',
  ],
  ['any, for a reader', {}, { mayAck: false, mayAssign: false, mayClose: false }, ''],
])('what can be done about %s', (_, fields, rights, offered) => {
  expect(deedsOf(alarm(fields), { ...all, ...rights }).join(' ')).toBe(offered)
})
