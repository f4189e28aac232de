import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { looksLikeText } from './text-sample.ts'

test.each([
  ['nothing', Buffer.alloc(0)],
  ['UTF-8, cut in the middle of a character', Buffer.from('2026-01-01 [INFO ] 一切正常').subarray(0, -1)],
  ['GB 18030', Buffer.from('d2bbc7d0d5fdb3a30d0a', 'hex')],
  ['UTF-16 with its mark', Buffer.from('\ufeffok', 'utf16le')],
  ['lines with colours', Buffer.from('\u001b[31mERROR\u001b[0m\tx\r\n')],
])('%s is a text', (_, sample) => {
  expect(looksLikeText(sample)).toBe(true)
})

test.each([
  ['a gzip file', gzipSync('x'.repeat(100))],
  ['zeros', Buffer.alloc(100)],
  ['control characters', Buffer.from('\u0001\u0002\u0003 text')],
])('%s is not a text', (_, sample) => {
  expect(looksLikeText(sample)).toBe(false)
})
