// All readings of a device in one hour, packed: the times once, then of each reading which times have a value, then
// the values as differences, all deflated. A day of 66 readings every five minutes is half a byte a value.
import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib'
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

/**
 * What one device may have in one hour of its own time. A report that would go beyond it is left out whole: one device must not
 * take the memory of all. A cabinet with all of 448 readings of compartments and 300 names every three seconds has 897,600 places,
 * one with 170 readings every second 612,000; so many doubles are 9 MB.
 */
export const hourLimits = { times: 7_200, places: 1_000_000 }

const version = 1
/** Every time has a value. Else a 0 stands where there is none, and what stands for a value is one more. */
const isWhole = 16
/** From here on a thread of its own deflates and inflates: less costs more to hand over than to do. */
const largeBytes = 65_536
const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)]

interface Column {
  id: number
  kind: number
  isWhole: boolean
  /** One place a time; what is of the other type is not of this column. */
  values: readonly (ReadingValue | null)[]
}

/** Asked between columns: a large hour takes longer than others should wait. Undefined where nobody has waited for long. */
export type GiveWay = () => Promise<void> | undefined

export async function packHour({ times, series }: HourPoints, giveWay?: GiveWay): Promise<Buffer> {
  const writer = new ByteWriter()
  const columns: Column[] = []
  for (const [id, values] of [...series].sort(([a], [b]) => a - b)) {
    columns.push(...columnsOf(id, values))
    const turn = giveWay?.()
    if (turn) await turn
  }
  packTimes(writer, times)
  writer.varint(columns.length)
  let before = 0
  for (const { id, kind, isWhole: whole } of columns) {
    writer.varint(id - before)
    writer.byte(kind | (whole ? isWhole : 0))
    before = id
  }
  for (const column of columns) {
    packValues(writer, column)
    const turn = giveWay?.()
    if (turn) await turn
  }
  const bytes = writer.view()
  return Buffer.concat([
    Buffer.of(version),
    bytes.length < largeBytes ? deflateRawSync(bytes) : await deflate(bytes),
  ])
}

/** A reading that was a switch and a number within the hour has a column of each. */
function columnsOf(id: number, values: readonly (ReadingValue | null)[]): Column[] {
  let switches = 0
  const numbers: number[] = []
  for (const value of values) {
    if (typeof value === 'number') numbers.push(value)
    else if (value !== null) switches += 1
  }
  const columns: Column[] = []
  if (switches > 0) columns.push({ id, kind: kinds.boolean, isWhole: switches === values.length, values })
  if (numbers.length > 0) {
    const decimals = sharedDecimals(numbers)
    const kind = decimals < 0 ? kinds.raw : kinds.whole + decimals
    columns.push({ id, kind, isWhole: numbers.length === values.length, values })
  }
  return columns
}

function packTimes(writer: ByteWriter, times: readonly number[]): void {
  writer.varint(times.length)
  let before = 0
  let step = 0
  for (const time of times) {
    writer.zigzag(time - before - step)
    step = time - before
    before = time
  }
}

function packValues(writer: ByteWriter, { kind, isWhole: whole, values }: Column): void {
  if (kind === kinds.boolean) {
    if (whole) writer.bits(values as boolean[])
    else for (const value of values) writer.byte(typeof value !== 'boolean' ? 0 : value ? 2 : 1)
    return
  }
  const unit = kind === kinds.raw ? 0 : unitOf(kind - kinds.whole)
  const more = whole ? 0 : 1
  let before = 0
  for (const value of values) {
    if (typeof value !== 'number') {
      writer.byte(0)
    } else if (unit === 0) {
      if (!whole) writer.byte(1)
      writer.double(value)
    } else {
      const scaled = Math.round(value * unit)
      writer.zigzag(scaled - before, more)
      before = scaled
    }
  }
}

/** An hour whose readings are unpacked one after the other, each when it is asked for. */
export interface UnpackedHour {
  times: number[]
  /** Beyond the limits: as it was packed before there were any. */
  isLarge: boolean
  series: Iterable<[id: number, values: (ReadingValue | null)[]]>
}

/** `wanted`: the ids to read; all where it is left out. */
export function unpackHour(block: Uint8Array, wanted?: ReadonlySet<number>): HourPoints {
  const { times, series } = unpacked(inflateRawSync(packedBytes(block)), wanted)
  return { times, series: new Map(series) }
}

/** The same without all of it in memory at once. */
export async function openHour(block: Uint8Array): Promise<UnpackedHour> {
  const bytes = packedBytes(block)
  return unpacked(bytes.length < largeBytes / 8 ? inflateRawSync(bytes) : await inflate(bytes))
}

function packedBytes(block: Uint8Array): Uint8Array {
  if (block[0] !== version) throw new Error(`an hour of readings has the unknown version ${block[0]}`)
  return block.subarray(1)
}

function unpacked(bytes: Uint8Array, wanted?: ReadonlySet<number>): UnpackedHour {
  const reader = new ByteReader(bytes)
  const times = unpackTimes(reader)
  const columns: { id: number; tag: number }[] = []
  let id = 0
  let readings = 0
  for (let left = reader.varint(); left > 0; left -= 1) {
    const step = reader.varint()
    if (step > 0) readings += 1
    id += step
    columns.push({ id, tag: reader.byte() })
  }
  return {
    times,
    isLarge: isBeyond(times.length, readings),
    series: columnsIn(reader, columns, times, wanted),
  }
}

function* columnsIn(
  reader: ByteReader,
  columns: readonly { id: number; tag: number }[],
  { length }: readonly number[],
  wanted: ReadonlySet<number> | undefined,
): Generator<[id: number, values: (ReadingValue | null)[]]> {
  for (let at = 0; at < columns.length; at += 1) {
    const { id, tag } = columns[at] as (typeof columns)[number]
    if (wanted && !wanted.has(id)) {
      skipValues(reader, tag, length)
      continue
    }
    const values = unpackValues(reader, tag, length)
    const next = columns[at + 1]
    if (next?.id === id) {
      at += 1
      for (const [place, value] of unpackValues(reader, next.tag, length).entries()) values[place] ??= value
    }
    yield [id, values]
  }
}

const isBeyond = (times: number, readings: number): boolean =>
  times > hourLimits.times || times * readings > hourLimits.places

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
 * Puts reports into an hour, whose arrays it takes over. One value for a reading and a time: what stands already stays, and of the
 * reports the first does, so that a report that is put in again changes nothing. What was beyond the limits once stays beyond them,
 * as the hour only grows.
 */
export class HourMerge {
  readonly #times: number[]
  readonly #places: Map<number, number>
  readonly #series: HourPoints['series']

  constructor(standing: HourPoints | null) {
    this.#times = standing?.times ?? []
    this.#places = new Map(this.#times.map((time, place) => [time, place]))
    this.#series = standing?.series ?? new Map()
  }

  /** False where the report is beyond the limits, and left out. */
  add({ time, ids, values }: HourReport): boolean {
    const standing = this.#places.get(time)
    let readings = this.#series.size
    for (const id of ids) if (!this.#series.has(id)) readings += 1
    if (isBeyond(this.#times.length + (standing === undefined ? 1 : 0), readings)) return false
    const place = standing ?? this.#times.push(time) - 1
    if (standing === undefined) this.#places.set(time, place)
    for (let index = 0; index < ids.length; index += 1) {
      const id = ids[index] as number
      let column = this.#series.get(id)
      if (!column) {
        column = []
        this.#series.set(id, column)
      }
      while (column.length <= place) column.push(null)
      column[place] ??= values[index] as ReadingValue
    }
    return true
  }

  /** The hour, by time. Nothing is put in behind it. */
  points(): HourPoints {
    const order = [...this.#times.keys()].sort(
      (a, b) => (this.#times[a] as number) - (this.#times[b] as number),
    )
    const isInOrder = order.every((place, at) => place === at)
    for (const [id, column] of this.#series) {
      if (!isInOrder)
        this.#series.set(
          id,
          order.map((place) => column[place] ?? null),
        )
      else while (column.length < order.length) column.push(null)
    }
    return { times: order.map((place) => this.#times[place] as number), series: this.#series }
  }
}

/** The hour with the reports that have a place in it. */
export function mergeHour(standing: HourPoints | null, reports: readonly HourReport[]): HourPoints {
  const merge = new HourMerge(standing)
  for (const report of reports) merge.add(report)
  return merge.points()
}
