// All readings of a device in one hour, packed: the times once, then of each reading which times have a value, then
// the values as differences, all deflated. A day of 66 readings every five minutes is half a byte a value.
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { ByteReader, ByteWriter } from './bytes.ts'
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
/** Every time has a value: no bits follow. */
const isWhole = 16
const writer = new ByteWriter()

interface Column {
  id: number
  kind: number
  isWhole: boolean
  presence: boolean[]
  values: ReadingValue[]
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
  for (const { presence, isWhole: whole } of columns) if (!whole) writer.bits(presence)
  for (const { kind, values } of columns) packValues(kind, values)
  return Buffer.concat([Buffer.of(version), deflateRawSync(writer.view())])
}

/** A reading that was a switch and a number within the hour has a column of each. */
function columnsOf(id: number, all: readonly (ReadingValue | null)[]): Column[] {
  const column = (kind: number, isIn: (value: ReadingValue | null) => boolean): Column => {
    const presence = all.map(isIn)
    return {
      id,
      kind,
      presence,
      isWhole: presence.every(Boolean),
      values: all.filter((value): value is ReadingValue => isIn(value)),
    }
  }
  const columns: Column[] = []
  if (all.some((value) => typeof value === 'boolean'))
    columns.push(column(kinds.boolean, (value) => typeof value === 'boolean'))
  if (all.some((value) => typeof value === 'number')) {
    const numbers = column(kinds.raw, (value) => typeof value === 'number')
    const decimals = sharedDecimals(numbers.values as number[])
    columns.push({ ...numbers, kind: decimals < 0 ? kinds.raw : kinds.whole + decimals })
  }
  return columns
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

function packValues(kind: number, values: readonly ReadingValue[]): void {
  if (kind === kinds.boolean) {
    writer.bits(values as boolean[])
    return
  }
  if (kind === kinds.raw) {
    for (const value of values) writer.double(value as number)
    return
  }
  const unit = unitOf(kind - kinds.whole)
  let before = 0
  for (const value of values) {
    const scaled = Math.round((value as number) * unit)
    writer.zigzag(scaled - before)
    before = scaled
  }
}

/** `wanted`: the ids to read; all where it is left out. */
export function unpackHour(block: Uint8Array, wanted?: ReadonlySet<number>): HourPoints {
  if (block[0] !== version) throw new Error(`an hour of readings has the unknown version ${block[0]}`)
  const reader = new ByteReader(inflateRawSync(block.subarray(1)))
  const times = unpackTimes(reader)
  const count = times.length
  const columns: { id: number; kind: number; isWhole: boolean; presence: boolean[] | null }[] = []
  let id = 0
  for (let left = reader.varint(); left > 0; left -= 1) {
    id += reader.varint()
    const tag = reader.byte()
    columns.push({ id, kind: tag & 15, isWhole: (tag & isWhole) !== 0, presence: null })
  }
  for (const column of columns) if (!column.isWhole) column.presence = reader.bits(count)
  const series: HourPoints['series'] = new Map()
  for (const { id: of, kind, presence } of columns) {
    const present = presence ? presence.reduce((sum, isIn) => sum + (isIn ? 1 : 0), 0) : count
    if (wanted && !wanted.has(of)) {
      skipValues(reader, kind, present)
      continue
    }
    const values = unpackValues(reader, kind, present)
    let into = series.get(of)
    if (!into) {
      into = new Array<ReadingValue | null>(count).fill(null)
      series.set(of, into)
    }
    let next = 0
    for (let at = 0; at < count; at += 1)
      if (!presence || presence[at]) into[at] = values[next++] as ReadingValue
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

function unpackValues(reader: ByteReader, kind: number, count: number): ReadingValue[] {
  if (kind === kinds.boolean) return reader.bits(count)
  const values = new Array<number>(count)
  if (kind === kinds.raw) {
    for (let at = 0; at < count; at += 1) values[at] = reader.double()
    return values
  }
  const unit = unitOf(kind - kinds.whole)
  let scaled = 0
  for (let at = 0; at < count; at += 1) {
    scaled += reader.zigzag()
    values[at] = scaled / unit
  }
  return values
}

function skipValues(reader: ByteReader, kind: number, count: number): void {
  if (kind === kinds.boolean) reader.skip(Math.ceil(count / 8))
  else if (kind === kinds.raw) reader.skip(count * 8)
  else reader.skipVarints(count)
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
