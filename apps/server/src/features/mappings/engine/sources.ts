// Where a value comes from, as a closure: each is made once, and called for each message.
import type { MappingCharset, MappingSource } from '@voltkeep/contract'
import { compileRead } from './bytes.ts'
import type { Context } from './context.ts'
import { Fault } from './fault.ts'
import { compileFormat, compileZone, isoTime } from './times.ts'

export type Scalar = string | number | boolean
/** Undefined: the message does not have it. */
export type Value = Scalar | undefined | Fault
export type Take = (context: Context) => Value

const defaultZone = '+08:00'

/** Throws an error whose message says what is wrong, in Chinese. */
export function compileSource(source: MappingSource, charset?: MappingCharset): Take {
  let take = originOf(source, charset)
  if (source.base !== undefined) take = based(take, source.base, source.bits)
  else if (source.bits) take = bitsOf(take, source.bits)
  if (source.scale !== undefined || source.offset !== undefined)
    take = scaled(take, source.scale ?? 1, source.offset ?? 0)
  if (source.table) take = lookedUp(take, source.table, source.otherwise)
  return take
}

/** The same where a time is wanted: ms since 1970. */
export function compileTime(source: MappingSource, charset?: MappingCharset): Take {
  const take = compileSource(source, charset)
  const zone = compileZone(source.zone ?? defaultZone)
  const formatted = source.format === undefined ? undefined : compileFormat(source.format)
  const { timeUnit = 'ms' } = source
  return (context) => {
    const value = take(context)
    if (value === undefined || value instanceof Fault) return value
    if (formatted) return formatted(String(value), zone)
    if (timeUnit === 'iso') return isoTime(String(value), zone)
    const number = numberOf(value)
    return number instanceof Fault ? number : Math.round(timeUnit === 's' ? number * 1_000 : number)
  }
}

/** A value of JSON: objects and lists are none. */
function scalarOf(value: unknown): Value {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return value
    case 'undefined':
      return undefined
    default:
      return value === null ? undefined : new Fault('值是列表或对象，应为文本、数字或布尔值')
  }
}

function originOf(
  { path, item, at, type, length, topic, const: constant, index, sequence }: MappingSource,
  charset: MappingCharset | undefined,
): Take {
  if (path !== undefined) {
    const follow = compilePointer(path)
    return ({ message }) => scalarOf(follow(message))
  }
  if (typeof item === 'string') {
    const follow = compilePointer(item)
    return (context) => scalarOf(follow(context.item))
  }
  if (item !== undefined && type) {
    const read = compileRead(type, length, charset)
    return ({ bytes, itemAt }) => (bytes ? finite(read(bytes, itemAt + item)) : new Fault('报文不是二进制'))
  }
  if (at !== undefined && type) {
    const read = compileRead(type, length, charset)
    return ({ bytes }) =>
      bytes ? finite(read(bytes, at < 0 ? bytes.length + at : at)) : new Fault('报文不是二进制')
  }
  if (topic !== undefined) return ({ parts }) => parts[topic]
  if (constant !== undefined) return () => constant
  if (index) return (context) => context.index
  if (sequence) return (context) => context.sequence
  throw new Error('没有取值方式')
}

/** A float may be no number, which a maker sends for "not measured". */
const finite = (value: number | string | Fault): Value =>
  typeof value === 'number' && !Number.isFinite(value) ? undefined : value

/** A JSON Pointer (RFC 6901): what is not there is undefined. */
export function compilePointer(pointer: string): (root: unknown) => unknown {
  const names = tokensOf(pointer)
  const [only] = names
  if (only === undefined) return (root) => root
  if (names.length === 1) return (root) => childOf(root, only)
  return (root) => {
    let value = root
    for (const name of names) {
      value = childOf(value, name)
      if (value === undefined) return undefined
    }
    return value
  }
}

export const tokensOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))

const childOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

export function numberOf(value: Scalar): number | Fault {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  const number = value.trim() === '' ? Number.NaN : Number(value)
  return Number.isFinite(number) ? number : new Fault(`“${value.slice(0, 40)}”不是数字`)
}

type Base = NonNullable<MappingSource['base']>
const inBase: Readonly<Record<Base, { prefix: string; digits: RegExp }>> = {
  2: { prefix: '0b', digits: /^(?:0b)?([01]{1,256})b?$/i },
  8: { prefix: '0o', digits: /^(?:0o)?([0-7]{1,86})$/i },
  16: { prefix: '0x', digits: /^(?:0x)?([0-9a-f]{1,64})h?$/i },
}

/** A text as the number that it is in the base; a number of JSON is one already. */
function readIn(value: Scalar, base: Base): bigint | Fault {
  if (typeof value === 'string') {
    const [, digits] = inBase[base].digits.exec(value.replaceAll(/[\s_]/g, '')) ?? []
    return digits === undefined
      ? new Fault(`“${value.slice(0, 40)}”不是 ${base} 进制数`)
      : BigInt(`${inBase[base].prefix}${digits}`)
  }
  const number = numberOf(value)
  if (number instanceof Fault) return number
  return Number.isSafeInteger(number) && number >= 0 ? BigInt(number) : new Fault(`${number} 不能按位取值`)
}

function based(take: Take, base: Base, bits: readonly [number, number] | undefined): Take {
  return (context) => {
    const value = take(context)
    if (value === undefined || value instanceof Fault) return value
    const number = readIn(value, base)
    if (number instanceof Fault) return number
    if (bits) return Number((number >> BigInt(bits[0])) & ((1n << BigInt(bits[1] - bits[0] + 1)) - 1n))
    return number <= BigInt(Number.MAX_SAFE_INTEGER)
      ? Number(number)
      : new Fault(`“${String(value).slice(0, 40)}”超过 53 位，请用 bits 取其中一段`)
  }
}

/** The bits of a number, from the lowest; undefined where the message does not have it. */
export function compileBits(
  source: MappingSource,
  count: number,
  charset?: MappingCharset,
): (context: Context) => number[] | undefined | Fault {
  const take = originOf(source, charset)
  const { base = 16 } = source
  return (context) => {
    const value = take(context)
    if (value === undefined || value instanceof Fault) return value
    // A text without a base is a number as JSON would have it.
    const plain = source.base === undefined ? numberOf(value) : value
    if (plain instanceof Fault) return plain
    const number = readIn(plain, base)
    if (number instanceof Fault) return number
    return Array.from({ length: count }, (_, place) => Number((number >> BigInt(place)) & 1n))
  }
}

/** Of a whole number up to 53 bits, which JavaScript's own operators would cut to 32. */
function bitsOf(take: Take, [from, to]: readonly [number, number]): Take {
  const divisor = 2 ** from
  const modulus = 2 ** (to - from + 1)
  return (context) => {
    const value = take(context)
    if (value === undefined || value instanceof Fault) return value
    const number = numberOf(value)
    if (number instanceof Fault) return number
    if (!Number.isSafeInteger(number) || number < 0) return new Fault(`${number} 不能按位取值`)
    return Math.floor(number / divisor) % modulus
  }
}

/** 235 by 0.1 is 23.5, and not 23.500000000000004: by a tenth is divided by ten. */
function scaled(take: Take, scale: number, offset: number): Take {
  const inverse = Math.round(1 / scale)
  const isDivided = Number.isSafeInteger(inverse) && Math.abs(inverse) > 1 && 1 / inverse === scale
  return (context) => {
    const value = take(context)
    if (value === undefined || value instanceof Fault) return value
    const number = numberOf(value)
    if (number instanceof Fault) return number
    const result = isDivided ? number / inverse : number * scale
    return offset === 0 ? result : rounded(result + offset)
  }
}

const rounded = (value: number) => (Number.isInteger(value) ? value : Number(value.toPrecision(12)))

function lookedUp(take: Take, table: Readonly<Record<string, Scalar>>, otherwise: Scalar | undefined): Take {
  const entries = new Map(Object.entries(table))
  return (context) => {
    const value = take(context)
    if (value === undefined || value instanceof Fault) return value
    const key = String(value)
    return entries.get(key) ?? otherwise ?? new Fault(`对照表中没有“${key.slice(0, 40)}”`)
  }
}
