/**
 * PostgreSQL arrays in their binary form, for statements that take a thousand rows as one parameter a
 * column: `unnest($1::int4[], …)`. pg sends a Buffer as a binary parameter as it is, which saves the
 * escaping here and the parsing there. What such statements answer comes as one array a column, too:
 * no message and no object a row.
 */

const oids = { bool: 16, bytea: 17, int8: 20, int2: 21, int4: 23, text: 25, timestamptz: 1184 }
const headerBytes = 20
/** Microseconds from 1970 to 2000, where PostgreSQL's clock starts. */
const epochMs = 946_684_800_000
const highUnit = 4_294_967_296
const lowest = -(2 ** 63)
const int2Limit = 2 ** 15
const int4Limit = 2 ** 31

/**
 * What the database says of a value that its type does not have, by the same SQLSTATE: a number of a device that is too
 * large is refused with its entry, and does not look like a defect of whoever writes it.
 */
class OutOfRange extends RangeError {
  readonly code = '22003'
}

function within(limit: number, value: number): number {
  if (value >= -limit && value < limit) return value
  throw new OutOfRange(`a value out of range: ${value}`)
}

function startArray(oid: number, length: number, bodyBytes: number, hasNull: boolean): Buffer {
  const buffer = Buffer.allocUnsafe(headerBytes + bodyBytes)
  buffer.writeInt32BE(1, 0) // dimensions
  buffer.writeInt32BE(hasNull ? 1 : 0, 4)
  buffer.writeInt32BE(oid, 8)
  buffer.writeInt32BE(length, 12)
  buffer.writeInt32BE(1, 16) // lower bound
  return buffer
}

/** For `::int4[]`. */
export function int4Array(values: readonly number[]): Buffer {
  const buffer = startArray(oids.int4, values.length, values.length * 8, false)
  let at = headerBytes
  for (const value of values) {
    buffer.writeInt32BE(4, at)
    buffer.writeInt32BE(within(int4Limit, value), at + 4)
    at += 8
  }
  return buffer
}

/** For `::int2[]`. */
export function int2Array(values: readonly (number | null)[]): Buffer {
  const nulls = countNulls(values)
  const buffer = startArray(oids.int2, values.length, values.length * 6 - nulls * 2, nulls > 0)
  let at = headerBytes
  for (const value of values) {
    if (value === null) {
      buffer.writeInt32BE(-1, at)
      at += 4
    } else {
      buffer.writeInt32BE(2, at)
      buffer.writeInt16BE(within(int2Limit, value), at + 4)
      at += 6
    }
  }
  return buffer
}

/** For `::bool[]`. */
export function booleanArray(values: readonly boolean[]): Buffer {
  const buffer = startArray(oids.bool, values.length, values.length * 5, false)
  let at = headerBytes
  for (const value of values) {
    buffer.writeInt32BE(1, at)
    buffer[at + 4] = value ? 1 : 0
    at += 5
  }
  return buffer
}

/** For `::int8[]`; safe integers only. */
export function int8Array(values: readonly (number | null)[]): Buffer {
  return eightByteArray(oids.int8, values, 1, 0)
}

/** For `::timestamptz[]`; milliseconds since 1970. -Infinity is PostgreSQL's `-infinity`. */
export function timestampArray(timesMs: readonly (number | null)[]): Buffer {
  return eightByteArray(oids.timestamptz, timesMs, 1000, epochMs)
}

function eightByteArray(
  oid: number,
  values: readonly (number | null)[],
  scale: number,
  origin: number,
): Buffer {
  const nulls = countNulls(values)
  const buffer = startArray(oid, values.length, values.length * 12 - nulls * 8, nulls > 0)
  let at = headerBytes
  for (const value of values) {
    if (value === null) {
      buffer.writeInt32BE(-1, at)
      at += 4
      continue
    }
    // Two halves in place of a BigInt, which would be an allocation a value.
    const whole = value === Number.NEGATIVE_INFINITY ? lowest : (value - origin) * scale
    const high = within(int4Limit, Math.floor(whole / highUnit))
    buffer.writeInt32BE(8, at)
    buffer.writeInt32BE(high, at + 4)
    buffer.writeUInt32BE(whole - high * highUnit, at + 8)
    at += 12
  }
  return buffer
}

/** For `::text[]`, and with a cast in the statement for `jsonb`. */
export function textArray(values: readonly (string | null)[]): Buffer {
  let bodyBytes = 0
  let hasNull = false
  for (const value of values) {
    bodyBytes += 4
    if (value === null) hasNull = true
    else bodyBytes += Buffer.byteLength(value)
  }
  const buffer = startArray(oids.text, values.length, bodyBytes, hasNull)
  let at = headerBytes
  for (const value of values) {
    if (value === null) {
      buffer.writeInt32BE(-1, at)
      at += 4
    } else {
      const bytes = buffer.write(value, at + 4)
      buffer.writeInt32BE(bytes, at)
      at += 4 + bytes
    }
  }
  return buffer
}

/** For `::bytea[]`. */
export function byteaArray(values: readonly Uint8Array[]): Buffer {
  const bodyBytes = values.reduce((sum, { length }) => sum + 4 + length, 0)
  const buffer = startArray(oids.bytea, values.length, bodyBytes, false)
  let at = headerBytes
  for (const value of values) {
    buffer.writeInt32BE(value.length, at)
    buffer.set(value, at + 4)
    at += 4 + value.length
  }
  return buffer
}

function countNulls(values: readonly unknown[]): number {
  let nulls = 0
  for (const value of values) if (value === null) nulls += 1
  return nulls
}

/**
 * Reads an array of numbers as the database writes it, `{1,NULL,3}`. In text and not in binary: pg
 * decodes every answer as UTF-8 first, which breaks binary ones, and JSON.parse is as fast. `array_agg`
 * over no rows is null in SQL: no values.
 */
export function readNumbers(array: string | null): (number | null)[] {
  if (array === null) return []
  return JSON.parse(`[${array.slice(1, -1).replaceAll('NULL', 'null')}]`)
}

/** Hands over what the server sent as text: for columns that `readNumbers` reads. */
export const unparsed = { getTypeParser: () => (text: string) => text }
