import { describe, expect, test } from 'vitest'
import { contentTypeOf, mayBeInline, sampleBytes } from './content-type.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')

describe('the content says what a file is:', () => {
  test.each([
    ['image/jpeg', '\xff\xd8\xff\xe0\x00\x10JFIF'],
    ['image/png', '\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR'],
    ['image/gif', 'GIF89a\x01\x00'],
    ['image/webp', 'RIFF\x24\x00\x00\x00WEBPVP8 '],
    ['audio/wav', 'RIFF\x24\x00\x00\x00WAVEfmt '],
    ['video/x-msvideo', 'RIFF\x24\x00\x00\x00AVI LIST'],
    ['image/avif', '\x00\x00\x00\x20ftypavif\x00\x00\x00\x00'],
    ['image/heic', '\x00\x00\x00\x18ftypheic\x00\x00\x00\x00'],
    ['video/mp4', '\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41'],
    ['video/mp4', '\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00'],
    ['video/quicktime', '\x00\x00\x00\x14ftypqt  \x00\x00\x00\x00'],
    ['audio/mp4', '\x00\x00\x00\x1cftypM4A \x00\x00\x00\x00'],
    [
      'video/webm',
      '\x1a\x45\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webmB\x87',
    ],
    ['video/x-matroska', '\x1a\x45\xdf\xa3\xa3B\x86\x81\x01B\x82\x88matroskaB\x87'],
    ['audio/mpeg', 'ID3\x04\x00'],
    ['application/pdf', '%PDF-1.7\n'],
    ['application/zip', 'PK\x03\x04\x14\x00'],
    ['application/gzip', '\x1f\x8b\x08\x00'],
    ['application/x-tar', `${'a'.padEnd(257, '\0')}ustar\x0000`],
  ])('%s', (contentType, beginning) => {
    expect(contentTypeOf(latin1(beginning))).toBe(contentType)
  })

  test.each([
    '',
    'x',
    'RIFF',
    'RIFF\x00\x00\x00\x00ACON',
    '\x1a\x45\xdf\xa3',
    '<svg xmlns="…">',
    '<!doctype html>',
    '#!/bin/sh',
  ])('%j has an unknown type', (beginning) => {
    expect(contentTypeOf(latin1(beginning))).toBe('application/octet-stream')
  })

  test('by the sample only', () => {
    expect(contentTypeOf(latin1(`${' '.repeat(sampleBytes)}GIF89a`))).toBe('application/octet-stream')
  })
})

test('images, audio, video and PDF may be shown inline; everything else is downloaded', () => {
  for (const type of ['image/png', 'video/mp4', 'audio/mpeg', 'application/pdf'])
    expect(mayBeInline(type)).toBe(true)
  for (const type of ['application/octet-stream', 'application/zip', 'text/html', 'text/plain']) {
    expect(mayBeInline(type)).toBe(false)
  }
})
