/** How many bytes of the beginning `looksLikeText` looks at. */
export const textSampleBytes = 4096

const utf16Marks = ['fffe', 'feff']
/** Tab, line feed, form feed, carriage return, and escape, with which a console colours its lines. */
const usualControls = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b])

/**
 * Is this the beginning of a text? UTF-8, GB 18030 and every other encoding that extends ASCII are without NUL, and
 * nearly without control characters; UTF-16 has a mark at its beginning.
 */
export function looksLikeText(sample: Buffer): boolean {
  if (utf16Marks.includes(sample.subarray(0, 2).toString('hex'))) return true
  let controls = 0
  for (const byte of sample) {
    if (byte === 0) return false
    if (byte < 0x20 && !usualControls.has(byte)) controls += 1
  }
  return controls * 100 <= sample.length
}
