// UTF-8 and GB18030 are the encodings of device logs in China. In both, no byte of a multi-byte character is a line
// feed.

export const encodings = ['utf-8', 'gb18030'] as const
export type Encoding = (typeof encodings)[number]

/** The size of the sample that decides. */
const sampleBytes = 64 * 1024
/** The tolerated share of invalid characters: a log that was truncated or overwritten in places is still UTF-8. */
const tolerated = 0.1

/** The encoding of a text. Undefined where it cannot be detected: all bytes are ASCII, or they are invalid in both. */
export function detectEncoding(bytes: Uint8Array): Encoding | undefined {
  let first = 0
  while (first < bytes.length && (bytes[first] ?? 0) <= 0x7f) first += 1
  if (first === bytes.length) return undefined
  const sample = bytes.subarray(first, first + sampleBytes)
  // `stream`: a character that the end of the sample cuts off is no error.
  const asUtf8 = new TextDecoder('utf-8').decode(sample, { stream: true })
  const utf8Errors = count(asUtf8, /\ufffd/g)
  if (utf8Errors <= count(asUtf8, /[^\0-\x7f]/g) * tolerated) return 'utf-8'
  const asGb = new TextDecoder('gb18030').decode(sample, { stream: true })
  return count(asGb, /[\ufffd\ue000-\uf8ff]/g) < utf8Errors ? 'gb18030' : undefined
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

/** The last position at or before `limit` where a character begins; a character must begin at `from`. */
export function characterStart(bytes: Uint8Array, from: number, limit: number, encoding: Encoding): number {
  return encoding === 'utf-8' ? utf8Start(bytes, from, limit) : gb18030Start(bytes, from, limit)
}

function utf8Start(bytes: Uint8Array, from: number, limit: number): number {
  // A UTF-8 character has at most four bytes; more continuation bytes are invalid.
  for (let at = limit; at > Math.max(from, limit - 4); at -= 1) {
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at
  }
  return limit
}

/** Scans forward: whether a byte is the first or the second of a character depends on the bytes before it. */
function gb18030Start(bytes: Uint8Array, from: number, limit: number): number {
  let at = from
  while (at < limit) {
    const second = bytes[at + 1] ?? 0
    const length = (bytes[at] ?? 0) < 0x81 ? 1 : second >= 0x30 && second <= 0x39 ? 4 : 2
    if (at + length > limit) break
    at += length
  }
  return at > from ? at : limit
}

/** UTF-16 is detected only by its byte order mark: bytes of its characters can look like a line feed. */
export function utf16Of(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return undefined
}
