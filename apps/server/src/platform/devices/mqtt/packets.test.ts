import { generate } from 'mqtt-packet'
import { expect, test } from 'vitest'
import { Packets } from './packets.ts'

const publish = (payload: string) =>
  generate({ cmd: 'publish', topic: 't', payload, qos: 1, messageId: 7, dup: false, retain: false })
const sent = [publish('a'), generate({ cmd: 'pingreq' }), publish('x'.repeat(300)), publish('')]

function reading({
  accepts = () => true,
}: {
  accepts?: (firstByte: number, bodyBytes: number) => boolean
} = {}) {
  const packets: Buffer[] = []
  const bodies: number[] = []
  const malformed: Buffer[] = []
  const reader = new Packets({
    packet(bytes, at, bodyAt, end) {
      packets.push(Buffer.from(bytes.subarray(at, end)))
      bodies.push(end - bodyAt)
    },
    accepts,
    malformed: (bytes) => malformed.push(bytes),
  })
  return { reader, packets, bodies, malformed }
}

test.each([1, 2, 3, 7, 100, 1_000])(
  'packets that arrive in pieces of %d bytes are whole and in order',
  (size) => {
    const { reader, packets, bodies } = reading()
    const bytes = Buffer.concat(sent)
    for (let at = 0; at < bytes.length; at += size) reader.take(bytes.subarray(at, at + size))
    expect(packets).toEqual(sent)
    expect(bodies).toEqual([6, 0, 305, 5])
  },
)

test('a packet is refused by its header, before it has arrived, and nothing after it is read', () => {
  const { reader, packets } = reading({
    accepts: (firstByte, bodyBytes) => firstByte !== 0x32 || bodyBytes < 300,
  })
  reader.take(Buffer.concat([publish('a'), publish('x'.repeat(300)).subarray(0, 3)]))
  reader.take(Buffer.concat(sent))
  expect(packets).toEqual([publish('a')])
})

test('a length of more than four bytes is malformed', () => {
  const { reader, packets, malformed } = reading()
  for (const byte of [0x30, 0x80, 0x80, 0x80]) reader.take(Buffer.from([byte]))
  expect(malformed).toEqual([])
  reader.take(Buffer.from([0x80]))
  expect(malformed).toEqual([Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80])])
  reader.take(publish('a'))
  expect(packets).toEqual([])
})

test('bytes that arrive while a packet is handled stay behind it', () => {
  const seen: Buffer[] = []
  const reader = new Packets({
    packet(bytes, at, _bodyAt, end) {
      seen.push(Buffer.from(bytes.subarray(at, end)))
      if (seen.length === 1) reader.take(last.subarray(2))
    },
    accepts: () => true,
    malformed: () => {},
  })
  const last = publish('last')
  reader.take(Buffer.concat([publish('a'), publish('b'), last.subarray(0, 2)]))
  expect(seen).toEqual([publish('a'), publish('b'), last])
})
