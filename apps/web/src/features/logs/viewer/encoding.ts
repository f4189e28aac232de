// UTF-8 or GB18030, as devices in China write their logs. In both no byte of a longer character is a line feed.

export const encodings = ['utf-8', 'gb18030'] as const
export type Encoding = (typeof encodings)[number]

/** So many bytes of a sample settle it. */
const sampleBytes = 64 * 1024
/** A log that was cut or overwritten in places still is UTF-8. */
const tolerated = 0.1

/**
 * Which of the two a text is in. Undefined where that cannot be told: there are no bytes beyond ASCII, or they are
 * text in neither.
 */
export function detectEncoding(bytes: Uint8Array): Encoding | undefined {
  let first = 0
  while (first < bytes.length && (bytes[first] ?? 0) <= 0x7f) first += 1
  if (first === bytes.length) return undefined
  const sample = bytes.subarray(first, first + sampleBytes)
  // A character that the sample's end cuts in two is no error.
  const asUtf8 = new TextDecoder('utf-8').decode(sample, { stream: true })
  const utf8Errors = count(asUtf8, /\ufffd/g)
  if (utf8Errors <= count(asUtf8, /[^\0-\x7f]/g) * tolerated) return 'utf-8'
  const asGb = new TextDecoder('gb18030').decode(sample, { stream: true })
  return count(asGb, /[\ufffd\ue000-\uf8ff]/g) < utf8Errors ? 'gb18030' : undefined
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

/** The last place at or before `limit` where a character begins; `from` is where one does. */
export function characterStart(bytes: Uint8Array, from: number, limit: number, encoding: Encoding): number {
  return encoding === 'utf-8' ? utf8Start(bytes, from, limit) : gb18030Start(bytes, from, limit)
}

function utf8Start(bytes: Uint8Array, from: number, limit: number): number {
  // Four bytes are the longest character; more continuation bytes than that are no UTF-8.
  for (let at = limit; at > Math.max(from, limit - 4); at -= 1) {
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at
  }
  return limit
}

/** Forward: whether a byte is the first or the second of a character shows only from the ones before it. */
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

/** UTF-16 is told by its mark alone: between its bytes there are others that look like a line feed. */
export function utf16Of(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return undefined
}
