// All readings of a device in one hour, packed: the times once, then of each reading which times have a value, then
// the values as differences, all deflated. A day of 66 readings every five minutes is half a byte a value.
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { ByteReader, ByteWriter, unzigzag } from './bytes.ts'
import type { ReadingValue } from './report-body.ts'
import { kinds, sharedDecimals, unitOf } from './scaling.ts'

/** Values by the times that have one; null where there is none. */
export interface HourPoints {
  /** Milliseconds since the hour began, ascending, each once. */
  times: number[]
  /** Of each reading one place a time. */
  series: Map<number, (ReadingValue | null)[]>
}

const version = 1
/** Every time has a value. Else a 0 stands where there is none, and what stands for a value is one more. */
const isWhole = 16
const writer = new ByteWriter()

interface Column {
  id: number
  kind: number
  isWhole: boolean
  /** One place a time. */
  values: (ReadingValue | null)[]
}

export function packHour({ times, series }: HourPoints): Buffer {
  const columns = [...series].sort(([a], [b]) => a - b).flatMap(([id, values]) => columnsOf(id, values))
  writer.clear()
  packTimes(times)
  writer.varint(columns.length)
  let before = 0
  for (const { id, kind, isWhole: whole } of columns) {
    writer.varint(id - before)
    writer.byte(kind | (whole ? isWhole : 0))
    before = id
  }
  for (const column of columns) packValues(column)
  return Buffer.concat([Buffer.of(version), deflateRawSync(writer.view())])
}

/** A reading that was a switch and a number within the hour has a column of each. */
function columnsOf(id: number, all: readonly (ReadingValue | null)[]): Column[] {
  const column = (type: 'boolean' | 'number'): Column | null => {
    const values = all.map((value) => (typeof value === type ? value : null))
    const present = values.filter((value) => value !== null)
    if (present.length === 0) return null
    const whole = present.length === all.length
    if (type === 'boolean') return { id, kind: kinds.boolean, isWhole: whole, values }
    const decimals = sharedDecimals(present as number[])
    return { id, kind: decimals < 0 ? kinds.raw : kinds.whole + decimals, isWhole: whole, values }
  }
  return [column('boolean'), column('number')].filter((one) => one !== null)
}

function packTimes(times: readonly number[]): void {
  writer.varint(times.length)
  let before = 0
  let step = 0
  for (const time of times) {
    writer.zigzag(time - before - step)
    step = time - before
    before = time
  }
}

function packValues({ kind, isWhole: whole, values }: Column): void {
  if (kind === kinds.boolean) {
    if (whole) writer.bits(values as boolean[])
    else for (const value of values) writer.byte(value === null ? 0 : value ? 2 : 1)
    return
  }
  const unit = kind === kinds.raw ? 0 : unitOf(kind - kinds.whole)
  const more = whole ? 0 : 1
  let before = 0
  for (const value of values) {
    if (value === null) {
      writer.byte(0)
    } else if (unit === 0) {
      if (!whole) writer.byte(1)
      writer.double(value as number)
    } else {
      const scaled = Math.round((value as number) * unit)
      writer.zigzag(scaled - before, more)
      before = scaled
    }
  }
}

/** `wanted`: the ids to read; all where it is left out. */
export function unpackHour(block: Uint8Array, wanted?: ReadonlySet<number>): HourPoints {
  if (block[0] !== version) throw new Error(`an hour of readings has the unknown version ${block[0]}`)
  const reader = new ByteReader(inflateRawSync(block.subarray(1)))
  const times = unpackTimes(reader)
  const columns: { id: number; tag: number }[] = []
  let id = 0
  for (let left = reader.varint(); left > 0; left -= 1) {
    id += reader.varint()
    columns.push({ id, tag: reader.byte() })
  }
  const series: HourPoints['series'] = new Map()
  for (const { id: of, tag } of columns) {
    if (wanted && !wanted.has(of)) {
      skipValues(reader, tag, times.length)
      continue
    }
    const values = unpackValues(reader, tag, times.length)
    const other = series.get(of)
    series.set(of, other ? other.map((value, at) => value ?? (values[at] as ReadingValue | null)) : values)
  }
  return { times, series }
}

function unpackTimes(reader: ByteReader): number[] {
  const count = reader.varint()
  const times = new Array<number>(count)
  let before = 0
  let step = 0
  for (let at = 0; at < count; at += 1) {
    step += reader.zigzag()
    before += step
    times[at] = before
  }
  return times
}

function unpackValues(reader: ByteReader, tag: number, count: number): (ReadingValue | null)[] {
  const kind = tag & 15
  const whole = (tag & isWhole) !== 0
  if (kind === kinds.boolean && whole) return reader.bits(count)
  const values = new Array<ReadingValue | null>(count).fill(null)
  if (kind === kinds.boolean) {
    for (let at = 0; at < count; at += 1) {
      const token = reader.byte()
      if (token > 0) values[at] = token === 2
    }
  } else if (kind === kinds.raw) {
    for (let at = 0; at < count; at += 1) if (whole || reader.byte() > 0) values[at] = reader.double()
  } else {
    const unit = unitOf(kind - kinds.whole)
    let scaled = 0
    for (let at = 0; at < count; at += 1) {
      const token = reader.varint()
      if (!whole && token === 0) continue
      scaled += unzigzag(whole ? token : token - 1)
      values[at] = scaled / unit
    }
  }
  return values
}

function skipValues(reader: ByteReader, tag: number, count: number): void {
  const kind = tag & 15
  const whole = (tag & isWhole) !== 0
  if (kind === kinds.boolean) reader.skip(whole ? Math.ceil(count / 8) : count)
  else if (kind !== kinds.raw) reader.skipVarints(count)
  else if (whole) reader.skip(count * 8)
  else for (let at = 0; at < count; at += 1) if (reader.byte() > 0) reader.skip(8)
}

/** One report to be put among the others of its hour. */
export interface HourReport {
  /** Milliseconds since the hour began. */
  time: number
  ids: readonly number[]
  values: readonly ReadingValue[]
}

/**
 * Puts reports into an hour. One value for a reading and a time: what stands already stays, and of the reports the first
 * does, so that a report that is put in again changes nothing.
 */
export function mergeHour(standing: HourPoints | null, reports: readonly HourReport[]): HourPoints {
  const all = new Set(standing?.times)
  for (const { time } of reports) all.add(time)
  const times = [...all].sort((a, b) => a - b)
  const places = new Map(times.map((time, place) => [time, place]))
  const series: HourPoints['series'] = new Map()
  const columnOf = (id: number) => {
    let column = series.get(id)
    if (!column) {
      column = new Array<ReadingValue | null>(times.length).fill(null)
      series.set(id, column)
    }
    return column
  }
  if (standing) {
    for (const [id, values] of standing.series) {
      const column = columnOf(id)
      for (const [at, value] of values.entries())
        if (value !== null) column[places.get(standing.times[at] as number) as number] = value
    }
  }
  for (const { time, ids, values } of reports) {
    const place = places.get(time) as number
    for (let index = 0; index < ids.length; index += 1) {
      const column = columnOf(ids[index] as number)
      column[place] ??= values[index] as ReadingValue
    }
  }
  return { times, series }
}
