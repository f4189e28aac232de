import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { longestHeader, readProxyHeader } from './proxy-protocol.ts'

const text = (line: string) => readProxyHeader(Buffer.from(line, 'latin1'))
const signature = '0d0a0d0a000d0a515549540a'
const binary = (hex: string) => readProxyHeader(Buffer.from(signature + hex, 'hex'))
const complete = (address: string | null, length: number) => ({ kind: 'complete', address, length })

describe('version 1', () => {
  test('contains the client’s address, and the bytes after it are left', () => {
    expect(text('PROXY TCP4 203.0.113.7 192.0.2.1 56324 1883\r\n\x10\x0c')).toEqual(
      complete('203.0.113.7', 45),
    )
    expect(text('PROXY TCP6 2001:db8::7 2001:db8::1 56324 1883\r\n')).toEqual(complete('2001:db8::7', 47))
  })

  test('may have an unknown client', () => {
    expect(text('PROXY UNKNOWN\r\n')).toEqual(complete(null, 15))
    expect(text('PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n')).toEqual(complete(null, 43))
  })

  test('is incomplete as long as it can still become valid, up to 107 bytes', () => {
    for (const line of ['P', 'PROXY', 'PROXY TCP4 203.0.113.7 192.0.2.1 56324 1883\r']) {
      expect(text(line)).toEqual({ kind: 'incomplete' })
    }
    expect(text(`PROXY UNKNOWN ${'x'.repeat(92)}`).kind).toBe('incomplete')
    expect(text(`PROXY UNKNOWN ${'x'.repeat(93)}`).kind).toBe('invalid')
  })

  test.each([
    '\x10\x0c',
    'GET / HTTP/1.1\r\n',
    'PROXY\r\n',
    'PROXY TCP4 203.0.113.7 192.0.2.1 56324\r\n',
    'PROXY TCP4 203.0.113.7 192.0.2.1 56324 1883 more\r\n',
    'PROXY TCP4 203.0.113.7 192.0.2.1 56324 70000\r\n',
    'PROXY TCP4 203.0.113.7 192.0.2.1 -1 1883\r\n',
    'PROXY TCP4 203.0.113.777 192.0.2.1 56324 1883\r\n',
    'PROXY TCP4 2001:db8::7 2001:db8::1 56324 1883\r\n',
    'PROXY TCP6 203.0.113.7 192.0.2.1 56324 1883\r\n',
    'PROXY UDP4 203.0.113.7 192.0.2.1 56324 1883\r\n',
    'proxy TCP4 203.0.113.7 192.0.2.1 56324 1883\r\n',
  ])('is not %j', (line) => {
    expect(text(line)).toEqual({ kind: 'invalid' })
  })
})

describe('version 2', () => {
  const addresses4 = 'cb007107c0000201dc04075b'
  const addresses6 = '20010db8000000000000000000000007'.concat('20010db8000000000000000000000001', 'dc04075b')

  test('contains the client’s address, and other fields are skipped', () => {
    expect(binary(`2111000c${addresses4}100c`)).toEqual(complete('203.0.113.7', 28))
    expect(binary(`21110010${addresses4}04000100`)).toEqual(complete('203.0.113.7', 32))
    expect(binary(`21210024${addresses6}`)).toEqual(complete('2001:db8::7', 52))
  })

  test('is from the proxy itself, or from a client without an address', () => {
    expect(binary('20000000')).toEqual(complete(null, 16))
    expect(binary(`2011000c${addresses4}`)).toEqual(complete(null, 28))
    expect(binary('21000000')).toEqual(complete(null, 16))
    expect(binary('21310002aabb')).toEqual(complete(null, 18))
  })

  test('is read byte by byte', () => {
    const whole = Buffer.from(`${signature}2111000c${addresses4}`, 'hex')
    for (let length = 1; length < whole.length; length += 1) {
      expect(readProxyHeader(whole.subarray(0, length))).toEqual({ kind: 'incomplete' })
    }
  })

  test.each([
    ['another version', `1111000c${addresses4}`],
    ['an unknown command', `2211000c${addresses4}`],
    ['too few bytes for its addresses', '21110004cb007107'],
    ['too few bytes for its IPv6 addresses', `2121000c${addresses4}`],
    ['a length beyond the limit', '2111ffff'],
  ])('is refused with %s', (_name, hex) => {
    expect(binary(hex)).toEqual({ kind: 'invalid' })
  })

  test('is refused with an incomplete signature', () => {
    expect(readProxyHeader(Buffer.from('\r\n\r\n\0\r\nQUIT\r', 'latin1'))).toEqual({ kind: 'invalid' })
  })
})

test('any bytes are decided after the length of the longest header', () => {
  const beginnings = fc.constantFrom(Buffer.from('PROXY '), Buffer.from(signature, 'hex'), Buffer.alloc(0))
  const rest = fc.uint8Array({ minLength: longestHeader, maxLength: longestHeader + 100 })
  fc.assert(
    fc.property(beginnings, rest, (beginning, more) => {
      const header = readProxyHeader(Buffer.concat([beginning, more]))
      expect(header.kind).not.toBe('incomplete')
      if (header.kind === 'complete') expect(header.length).toBeLessThanOrEqual(longestHeader)
    }),
  )
})
