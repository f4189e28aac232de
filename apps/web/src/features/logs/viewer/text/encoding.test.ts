import { expect, test } from 'vitest'
import { characterStart, detectEncoding, utf16Of } from './encoding.ts'

/** 电池通信超时 in GB18030. */
const gbk = Uint8Array.from([0xb5, 0xe7, 0xb3, 0xd8, 0xcd, 0xa8, 0xd0, 0xc5, 0xb3, 0xac, 0xca, 0xb1])
const utf8 = new TextEncoder().encode('电池通信超时')

test('Chinese text is recognized as UTF-8 or GB18030 by its bytes', () => {
  expect(detectEncoding(utf8)).toBe('utf-8')
  expect(detectEncoding(gbk)).toBe('gb18030')
})

test('the encoding of plain ASCII stays open', () => {
  expect(detectEncoding(new TextEncoder().encode('door 3 opened'))).toBeUndefined()
})

test('a character cut off at the end of the bytes does not change the detected encoding', () => {
  expect(detectEncoding(utf8.subarray(0, utf8.length - 1))).toBe('utf-8')
})

test('a broken byte among many UTF-8 characters does not change it either', () => {
  expect(detectEncoding(Uint8Array.from([...utf8, 0xff, 10, ...utf8, ...utf8]))).toBe('utf-8')
})

test('the encoding of bytes that are text in neither stays open', () => {
  expect(detectEncoding(Uint8Array.from([0xff, 0xff, 0xff, 0xff]))).toBeUndefined()
})

test('UTF-8: the start of a character is found from each of its three bytes', () => {
  expect([3, 4, 5, 6].map((limit) => characterStart(utf8, 0, limit, 'utf-8'))).toEqual([3, 3, 3, 6])
})

test('GB18030: the start of a character is found from each of its two or four bytes', () => {
  const four = Uint8Array.from([0x81, 0x30, 0x81, 0x30])
  const mixed = Uint8Array.from([0x41, ...gbk.subarray(0, 2), ...four, 0x42])
  expect([1, 2, 3, 5, 7, 8].map((limit) => characterStart(mixed, 0, limit, 'gb18030'))).toEqual([
    1, 1, 3, 3, 7, 8,
  ])
})

test('UTF-16 is recognized by its byte order mark', () => {
  expect(utf16Of(Uint8Array.from([0xff, 0xfe, 0x41, 0]))).toBe('utf-16le')
  expect(utf16Of(Uint8Array.from([0xfe, 0xff, 0, 0x41]))).toBe('utf-16be')
  expect(utf16Of(utf8)).toBeUndefined()
})
