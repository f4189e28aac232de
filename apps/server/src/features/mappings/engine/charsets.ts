// Texts in the character set of a maker. Node decodes GB 18030, and encodes nothing but UTF-8.
import { isUtf8 } from 'node:buffer'
import type { MappingCharset } from '@voltkeep/contract'
import { Fault } from './fault.ts'

const gb18030 = new TextDecoder('gb18030', { fatal: true })

export function decodeText(bytes: Buffer, charset: MappingCharset): string | Fault {
  if (charset === 'utf-8') return isUtf8(bytes) ? bytes.toString() : new Fault('报文不是 UTF-8 编码')
  try {
    return gb18030.decode(bytes)
  } catch {
    return new Fault('报文不是 GB 18030 编码')
  }
}

export function encodeText(text: string, charset: MappingCharset): Buffer | Fault {
  if (charset === 'utf-8') return Buffer.from(text)
  const all: number[] = []
  for (const sign of text) {
    const code = sign.codePointAt(0) as number
    if (code < 0x80) {
      all.push(code)
      continue
    }
    const pair = pairs().get(sign)
    if (pair === undefined) return new Fault(`“${sign}”不能写成 GBK`)
    all.push(pair >> 8, pair & 0xff)
  }
  return Buffer.from(all)
}

let known: ReadonlyMap<string, number> | undefined

/** The signs that GB 18030 writes with two bytes, which are those of GBK. */
function pairs(): ReadonlyMap<string, number> {
  if (known) return known
  const lenient = new TextDecoder('gb18030')
  const found = new Map<string, number>()
  for (let lead = 0x81; lead <= 0xfe; lead += 1) {
    for (let trail = 0x40; trail <= 0xfe; trail += 1) {
      const sign = trail === 0x7f ? '' : lenient.decode(Uint8Array.of(lead, trail))
      // What is left free for the user has no sign of its own.
      if ([...sign].length === 1 && !/[\ufffd\ue000-\uf8ff]/.test(sign)) found.set(sign, (lead << 8) | trail)
    }
  }
  known = found
  return found
}
