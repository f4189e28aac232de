// Values in the bytes of a message.
import type { BinaryType, MappingCharset } from '@voltkeep/contract'
import { decodeText, encodeText } from './charsets.ts'
import { Fault } from './fault.ts'

type Read = (bytes: Buffer, at: number) => number | string | Fault

const fixed: Readonly<
  Record<
    Exclude<BinaryType, 'bcd' | 'text' | 'hex'>,
    [size: number, read: (bytes: Buffer, at: number) => number]
  >
> = {
  u8: [1, (bytes, at) => bytes.readUInt8(at)],
  i8: [1, (bytes, at) => bytes.readInt8(at)],
  u16le: [2, (bytes, at) => bytes.readUInt16LE(at)],
  u16be: [2, (bytes, at) => bytes.readUInt16BE(at)],
  i16le: [2, (bytes, at) => bytes.readInt16LE(at)],
  i16be: [2, (bytes, at) => bytes.readInt16BE(at)],
  u32le: [4, (bytes, at) => bytes.readUInt32LE(at)],
  u32be: [4, (bytes, at) => bytes.readUInt32BE(at)],
  i32le: [4, (bytes, at) => bytes.readInt32LE(at)],
  i32be: [4, (bytes, at) => bytes.readInt32BE(at)],
  // Above 53 bits a number is rounded: such a value is an id, and is read as `hex`.
  u64le: [8, (bytes, at) => Number(bytes.readBigUInt64LE(at))],
  u64be: [8, (bytes, at) => Number(bytes.readBigUInt64BE(at))],
  f32le: [4, (bytes, at) => single(bytes.readFloatLE(at))],
  f32be: [4, (bytes, at) => single(bytes.readFloatBE(at))],
  f64le: [8, (bytes, at) => bytes.readDoubleLE(at)],
  f64be: [8, (bytes, at) => bytes.readDoubleBE(at)],
}

/** The seven digits that a single has: 23.1 and not 23.100000381469727. */
const single = (value: number) => (Number.isFinite(value) ? Number(value.toPrecision(7)) : value)

export const sizeOf = (type: BinaryType, length: number | undefined): number =>
  type === 'bcd' || type === 'text' || type === 'hex' ? (length ?? 0) : fixed[type][0]

/** `at` may lie anywhere: what is not in the message is a fault. */
export function compileRead(
  type: BinaryType,
  length: number | undefined,
  charset: MappingCharset = 'utf-8',
): Read {
  const size = sizeOf(type, length)
  const read = readerOf(type, size, charset)
  return (bytes, at) => {
    if (at < 0 || at + size > bytes.length)
      return new Fault(`报文只有 ${bytes.length} 字节，没有第 ${at} 到 ${at + size - 1} 字节`)
    return read(bytes, at)
  }
}

function readerOf(type: BinaryType, size: number, charset: MappingCharset): Read {
  switch (type) {
    case 'bcd':
      return (bytes, at) => {
        const digits = bytes.toString('hex', at, at + size)
        return /^\d*$/.test(digits) ? digits : new Fault(`第 ${at} 字节起不是 BCD 码：${digits}`)
      }
    case 'hex':
      return (bytes, at) => bytes.toString('hex', at, at + size)
    case 'text':
      return (bytes, at) => {
        let end = at + size
        while (end > at && (bytes[end - 1] === 0 || bytes[end - 1] === 0x20)) end -= 1
        // A text that was cut within a sign is read as far as it goes.
        return charset === 'utf-8'
          ? bytes.toString('utf8', at, end)
          : decodeText(bytes.subarray(at, end), charset)
      }
    default:
      return fixed[type][1]
  }
}

const write: Readonly<
  Record<Exclude<BinaryType, 'bcd' | 'text' | 'hex'>, (bytes: Buffer, value: number) => void>
> = {
  u8: (bytes, value) => bytes.writeUInt8(value),
  i8: (bytes, value) => bytes.writeInt8(value),
  u16le: (bytes, value) => bytes.writeUInt16LE(value),
  u16be: (bytes, value) => bytes.writeUInt16BE(value),
  i16le: (bytes, value) => bytes.writeInt16LE(value),
  i16be: (bytes, value) => bytes.writeInt16BE(value),
  u32le: (bytes, value) => bytes.writeUInt32LE(value),
  u32be: (bytes, value) => bytes.writeUInt32BE(value),
  i32le: (bytes, value) => bytes.writeInt32LE(value),
  i32be: (bytes, value) => bytes.writeInt32BE(value),
  u64le: (bytes, value) => bytes.writeBigUInt64LE(BigInt(value)),
  u64be: (bytes, value) => bytes.writeBigUInt64BE(BigInt(value)),
  f32le: (bytes, value) => bytes.writeFloatLE(value),
  f32be: (bytes, value) => bytes.writeFloatBE(value),
  f64le: (bytes, value) => bytes.writeDoubleLE(value),
  f64be: (bytes, value) => bytes.writeDoubleBE(value),
}

/** The bytes of a value, or why it does not fit. */
export function bytesOf(
  type: BinaryType,
  length: number | undefined,
  value: string | number | boolean,
  charset: MappingCharset = 'utf-8',
): Buffer | Fault {
  const size = sizeOf(type, length)
  const text = String(value)
  const bytes = Buffer.alloc(size)
  switch (type) {
    case 'text': {
      const given = encodeText(text, charset)
      if (given instanceof Fault) return given
      if (given.length > size) return new Fault(`“${text.slice(0, 40)}”超过 ${size} 字节`)
      given.copy(bytes)
      return bytes
    }
    case 'bcd':
    case 'hex': {
      const digits = text.padStart(size * 2, '0')
      const isRight = (type === 'bcd' ? /^\d*$/ : /^[0-9a-fA-F]*$/).test(digits) && digits.length === size * 2
      return isRight
        ? Buffer.from(digits, 'hex')
        : new Fault(`“${text.slice(0, 40)}”不能写成 ${size} 字节的 ${type}`)
    }
    default:
      try {
        write[type](
          bytes,
          typeof value === 'boolean' ? Number(value) : Number(text.trim() === '' ? Number.NaN : text),
        )
        return Number.isNaN(Number(text)) && typeof value !== 'boolean'
          ? new Fault(`“${text.slice(0, 40)}”不是数字`)
          : bytes
      } catch {
        return new Fault(`“${text.slice(0, 40)}”不能写成 ${type}`)
      }
  }
}
