// Checksums of frames. The parameters of the CRCs are those of the catalogue of parametrised CRC algorithms (reveng).
import { crc32 } from 'node:zlib'
import type { ChecksumType, MappingChecksum } from '@voltkeep/contract'
import { Fault } from './fault.ts'

type Sum = (bytes: Buffer) => number
type Order = 'le' | 'be'

interface Algorithm {
  /** In bytes. */
  size: 1 | 2 | 4
  /** How it usually stands in a frame. */
  order: Order
  sum: Sum
}

const algorithms: Readonly<Record<ChecksumType, Algorithm>> = {
  sum8: { size: 1, order: 'be', sum: (bytes) => bytes.reduce((sum, byte) => sum + byte, 0) & 0xff },
  xor8: { size: 1, order: 'be', sum: (bytes) => bytes.reduce((sum, byte) => sum ^ byte, 0) },
  crc8: { size: 1, order: 'be', sum: highFirst(8, 0x07, 0) },
  'crc16-modbus': { size: 2, order: 'le', sum: lowFirst(0xa001, 0xffff) },
  'crc16-xmodem': { size: 2, order: 'be', sum: highFirst(16, 0x1021, 0) },
  'crc16-ccitt': { size: 2, order: 'be', sum: highFirst(16, 0x1021, 0xffff) },
  crc32: { size: 4, order: 'be', sum: (bytes) => crc32(bytes) },
}

/** A CRC that takes the high bit of each byte first. */
function highFirst(width: 8 | 16, polynomial: number, initial: number): Sum {
  const mask = 2 ** width - 1
  const top = 1 << (width - 1)
  const table = Uint16Array.from({ length: 256 }, (_, byte) => {
    let value = byte << (width - 8)
    for (let bit = 0; bit < 8; bit += 1) value = value & top ? (value << 1) ^ polynomial : value << 1
    return value & mask
  })
  return (bytes) =>
    bytes.reduce(
      (sum, byte) => ((sum << 8) & mask) ^ (table[((sum >> (width - 8)) ^ byte) & 0xff] as number),
      initial,
    )
}

/** A CRC of 16 bits that takes the low bit first; the polynomial is written backwards. */
function lowFirst(polynomial: number, initial: number): Sum {
  const table = Uint16Array.from({ length: 256 }, (_, byte) => {
    let value = byte
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >> 1) ^ polynomial : value >> 1
    return value
  })
  return (bytes) => bytes.reduce((sum, byte) => (sum >> 8) ^ (table[(sum ^ byte) & 0xff] as number), initial)
}

/** What stands in the frame for these bytes. */
export function checksumOf(type: ChecksumType, bytes: Buffer, order = algorithms[type].order): Buffer {
  const { size, sum } = algorithms[type]
  const written = Buffer.alloc(size)
  if (order === 'le') written.writeUIntLE(sum(bytes), 0, size)
  else written.writeUIntBE(sum(bytes), 0, size)
  return written
}

/** Undefined where the frame has the checksum that it should have. */
export function compileCheck({
  type,
  at,
  from = 0,
  to = at,
  order,
}: MappingChecksum): (frame: Buffer) => Fault | undefined {
  const { size } = algorithms[type]
  return (frame) => {
    const place = (offset: number) => (offset < 0 ? frame.length + offset : offset)
    const [start, begin, end] = [place(at), place(from), place(to)]
    if (start < 0 || start + size > frame.length || begin < 0 || begin > end || end > frame.length)
      return new Fault(`报文只有 ${frame.length} 字节，没有校验码`)
    const told = frame.subarray(start, start + size)
    const wanted = checksumOf(type, frame.subarray(begin, end), order)
    return told.equals(wanted)
      ? undefined
      : new Fault(`校验码是 ${told.toString('hex')}，应为 ${wanted.toString('hex')}`)
  }
}
