import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEventReader } from './sse.ts'

test('a message is complete with its empty line', () => {
  const reader = createEventReader()
  expect(reader.read('event: alarms\ndata: {"a":1}\n')).toEqual([])
  expect(reader.read('\ndata: 2\n\n')).toEqual(['{"a":1}', '2'])
})

test('heartbeat comments are no messages', () => {
  const reader = createEventReader()
  expect(reader.read(': heartbeat\n\n:\n\n')).toEqual([])
})

test('several data lines are one message', () => {
  expect(createEventReader().read('data: a\ndata:b\n\n')).toEqual(['a\nb'])
})

test('CRLF and lone CR end lines too', () => {
  expect(createEventReader().read('data: a\r\n\r\ndata: b\r\rdata: c\n\n')).toEqual(['a', 'b', 'c'])
})

test('however the stream is cut, the messages are the same', () => {
  const stream = ': hi\n\ndata: {"type":"ready"}\r\n\r\nid: 4\ndata: 一\ndata: 二\n\ndata: z\r\n\r\n'
  const whole = createEventReader().read(stream)
  expect(whole).toEqual(['{"type":"ready"}', '一\n二', 'z'])
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 8 }), (cuts) => {
      const reader = createEventReader()
      const at = [0, ...cuts.toSorted((a, b) => a - b), stream.length]
      const read = at.slice(1).flatMap((end, index) => reader.read(stream.slice(at[index], end)))
      expect(read).toEqual(whole)
    }),
  )
})
