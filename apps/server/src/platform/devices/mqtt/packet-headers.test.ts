import { generate } from 'mqtt-packet'
import { expect, test } from 'vitest'
import { type HeaderRule, PacketHeaders } from './packet-headers.ts'

const publish = (payload: string) =>
  generate({ cmd: 'publish', topic: 't', payload, qos: 1, messageId: 7, dup: false, retain: false })
const sent = Buffer.concat([
  publish('a'),
  generate({ cmd: 'pingreq' }),
  publish('x'.repeat(300)),
  publish(''),
])

function following(refuses: HeaderRule = () => undefined) {
  const seen: [kind: number, bodyBytes: number][] = []
  const headers = new PacketHeaders((kind, bodyBytes) => {
    seen.push([kind, bodyBytes])
    return refuses(kind, bodyBytes)
  })
  return { headers, seen }
}

test.each([1, 2, 3, 7, 100, 1_000])('each packet is seen once, in pieces of %d bytes', (size) => {
  const { headers, seen } = following()
  for (let at = 0; at < sent.length; at += size)
    expect(headers.take(sent.subarray(at, at + size))).toBeUndefined()
  expect(seen).toEqual([
    [3, 6],
    [12, 0],
    [3, 305],
    [3, 5],
  ])
})

test('a packet is refused by its header, before it has arrived', () => {
  const { headers } = following((_, bodyBytes) => (bodyBytes < 300 ? undefined : 'too large'))
  const beginning = publish('x'.repeat(300)).subarray(0, 3)
  expect(headers.take(Buffer.concat([publish('a'), beginning]))).toBe('too large')
})

test('the largest length of MQTT is read, and a longer one is left to the parser', () => {
  const { headers, seen } = following()
  expect(headers.take(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]))).toBeUndefined()
  expect(seen).toEqual([[3, 268_435_455]])
  const other = following()
  expect(other.headers.take(Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 0x01, 0x30, 0x01]))).toBeUndefined()
  expect(other.seen).toEqual([])
})
