import type { ByteRange } from '../../files/kept/blobs.ts'

/** One range of a file of any size has 50 characters. */
const mostOfHeader = 100

/**
 * What a Range header asks of a file of that size (RFC 9110, 14.2): one range, `whole` where there is no header or
 * none that is followed (another unit, several ranges, nonsense), `outside` where the file has no such byte.
 */
export function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'outside' {
  if (header === undefined || header.length > mostOfHeader) return 'whole'
  const match = /^bytes=([^-]*)-([^-]*)$/i.exec(header)
  if (!match) return 'whole'
  const [first = '', last = ''] = match.slice(1).map((text) => text.trim())
  if (![first, last].every((text) => /^\d*$/.test(text))) return 'whole'
  if (first === '') {
    // `bytes=-500` asks for the last 500 bytes.
    if (last === '') return 'whole'
    const count = Math.min(Number(last), sizeBytes)
    return count === 0 ? 'outside' : { start: sizeBytes - count, end: sizeBytes - 1 }
  }
  const start = Number(first)
  const end = last === '' ? Infinity : Number(last)
  if (end < start) return 'whole'
  return start >= sizeBytes ? 'outside' : { start, end: Math.min(end, sizeBytes - 1) }
}

/** Does an If-None-Match header name this tag (weak comparison), or any? */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((word) => ['*', tag, `W/${tag}`].includes(word.trim()))
}
