// The statistics of all readings of a device, packed: of the hours of a day, or of the days of a month.
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { ByteReader, ByteWriter, largestScaled } from './bytes.ts'
import { kinds, sharedDecimals, unitOf } from './scaling.ts'
import { meanDecimals, type Statistics } from './statistics.ts'

/** Statistics by the slots (hours since the day began, days since the month began) that have any. */
export interface Slots {
  /** Ascending, each once. */
  slots: number[]
  /** Of each reading one place a slot; null where it had no value. */
  series: Map<number, (Statistics | null)[]>
  /** Readings whose values are all true or false. */
  switches: ReadonlySet<number>
}

const version = 1
const isWhole = 16
const writer = new ByteWriter()

export function packSlots({ slots, series, switches }: Slots): Buffer {
  const columns = [...series]
    .sort(([a], [b]) => a - b)
    .map(([id, all]) => {
      const present = all.filter((one): one is Statistics => one !== null)
      return {
        id,
        all,
        present,
        isWhole: present.length === all.length,
        kind: kindOf(present, switches.has(id)),
      }
    })
    .filter(({ present }) => present.length > 0)
  writer.clear()
  writer.varint(slots.length)
  let before = 0
  for (const slot of slots) {
    writer.varint(slot - before)
    before = slot
  }
  writer.varint(columns.length)
  before = 0
  for (const { id, kind, isWhole: whole } of columns) {
    writer.varint(id - before)
    writer.byte(kind | (whole ? isWhole : 0))
    before = id
  }
  for (const { all, isWhole: whole } of columns) if (!whole) writer.bits(all.map((one) => one !== null))
  // Column by column over all readings: alike stands beside alike, which deflates better.
  for (const { kind, present } of columns) packLeast(kind, present)
  for (const { kind, present } of columns) packGreatest(kind, present)
  for (const { kind, present } of columns) packLast(kind, present)
  for (const { kind, present } of columns) packMeans(kind, present)
  for (const { present } of columns) packDifferences(present.map(({ quarters }) => quarters))
  return Buffer.concat([Buffer.of(version), deflateRawSync(writer.view())])
}

function kindOf(present: readonly Statistics[], isSwitch: boolean): number {
  const values = present.flatMap(({ min, max, last }) => [min, max, last])
  if (isSwitch && values.every((value) => value === 0 || value === 1)) return kinds.boolean
  const decimals = sharedDecimals(values)
  // The mean is of one decimal more than the values, and its differences must be exact numbers, too.
  const isLarge = values.some((value) => Math.abs(value) * unitOf(Math.max(decimals, 0) + 1) > largestScaled)
  return decimals < 0 || isLarge ? kinds.raw : kinds.whole + decimals
}

const decimalsOfKind = (kind: number) => (kind === kinds.boolean ? 0 : kind - kinds.whole)
const scaledBy = (unit: number) => (value: number) => Math.round(value * unit)
const unitOfKind = (kind: number) => unitOf(decimalsOfKind(kind))
const meanUnitOf = (kind: number) => unitOf(meanDecimals(decimalsOfKind(kind), kind === kinds.boolean))

function packDifferences(values: readonly number[]): void {
  let before = 0
  for (const value of values) {
    writer.zigzag(value - before)
    before = value
  }
}

function packLeast(kind: number, present: readonly Statistics[]): void {
  if (kind === kinds.raw) for (const { min } of present) writer.double(min)
  else packDifferences(present.map(({ min }) => scaledBy(unitOfKind(kind))(min)))
}

function packGreatest(kind: number, present: readonly Statistics[]): void {
  const scaled = kind === kinds.raw ? null : scaledBy(unitOfKind(kind))
  for (const { min, max } of present) {
    if (scaled) writer.varint(scaled(max) - scaled(min))
    else writer.double(max)
  }
}

function packLast(kind: number, present: readonly Statistics[]): void {
  const scaled = kind === kinds.raw ? null : scaledBy(unitOfKind(kind))
  for (const { min, last } of present) {
    if (scaled) writer.varint(scaled(last) - scaled(min))
    else writer.double(last)
  }
}

/** From the middle of least and greatest: where these are equal, nothing is left. */
function packMeans(kind: number, present: readonly Statistics[]): void {
  const scaled = kind === kinds.raw ? null : scaledBy(meanUnitOf(kind))
  for (const { min, max, mean } of present) {
    if (scaled) writer.zigzag(scaled(mean) - middle(scaled(min), scaled(max)))
    else writer.double(mean)
  }
}

const middle = (min: number, max: number) => Math.floor((min + max) / 2)

/** `wanted`: the ids to read; all where it is left out. */
export function unpackSlots(block: Uint8Array, wanted?: ReadonlySet<number>): Slots {
  if (block[0] !== version) throw new Error(`statistics of readings have the unknown version ${block[0]}`)
  const reader = new ByteReader(inflateRawSync(block.subarray(1)))
  const slots: number[] = []
  let slot = 0
  for (let left = reader.varint(); left > 0; left -= 1) {
    slot += reader.varint()
    slots.push(slot)
  }
  const columns: Column[] = []
  let id = 0
  for (let left = reader.varint(); left > 0; left -= 1) {
    id += reader.varint()
    const tag = reader.byte()
    columns.push({
      id,
      kind: tag & 15,
      presence: (tag & isWhole) === 0 ? [] : null,
      count: slots.length,
      isWanted: !wanted || wanted.has(id),
    })
  }
  for (const column of columns) {
    if (!column.presence) continue
    column.presence = reader.bits(slots.length)
    column.count = column.presence.filter(Boolean).length
  }
  const each = (read: (column: Column) => number[]) => columns.map(read)
  const mins = each((column) => unpackLeast(reader, column))
  const maxes = each((column) => unpackOthers(reader, column, 'varint'))
  const lasts = each((column) => unpackOthers(reader, column, 'varint'))
  const means = each((column) => unpackOthers(reader, column, 'zigzag'))
  const quarters = each((column) => unpackDifferences(reader, column))

  const series: Slots['series'] = new Map()
  const switches = new Set<number>()
  for (const [index, { id: of, kind, presence, count, isWanted }] of columns.entries()) {
    if (!isWanted) continue
    if (kind === kinds.boolean) switches.add(of)
    const numbers = (table: number[][]) => table[index] as number[]
    const present: Statistics[] = []
    for (let at = 0; at < count; at += 1) {
      const raw = {
        min: numbers(mins)[at] as number,
        max: numbers(maxes)[at] as number,
        last: numbers(lasts)[at] as number,
        mean: numbers(means)[at] as number,
        quarters: numbers(quarters)[at] as number,
      }
      present.push(kind === kinds.raw ? raw : unscaled(kind, raw))
    }
    let next = 0
    series.set(
      of,
      slots.map((_, at) => (!presence || presence[at] ? (present[next++] as Statistics) : null)),
    )
  }
  return { slots, series, switches }
}

interface Column {
  id: number
  kind: number
  /** Null where every slot has a value. */
  presence: boolean[] | null
  count: number
  isWanted: boolean
}

function unscaled(kind: number, { min, max, last, mean, quarters }: Statistics): Statistics {
  const unit = unitOfKind(kind)
  const meanUnit = meanUnitOf(kind)
  const factor = meanUnit / unit
  return {
    min: min / unit,
    max: (min + max) / unit,
    last: (min + last) / unit,
    mean: (mean + middle(min * factor, (min + max) * factor)) / meanUnit,
    quarters,
  }
}

function unpackDifferences(reader: ByteReader, { count, isWanted }: Column): number[] {
  if (!isWanted) {
    reader.skipVarints(count)
    return []
  }
  let before = 0
  return Array.from({ length: count }, () => {
    before += reader.zigzag()
    return before
  })
}

function unpackLeast(reader: ByteReader, column: Column): number[] {
  return column.kind === kinds.raw ? unpackDoubles(reader, column) : unpackDifferences(reader, column)
}

function unpackOthers(reader: ByteReader, column: Column, how: 'varint' | 'zigzag'): number[] {
  if (column.kind === kinds.raw) return unpackDoubles(reader, column)
  if (!column.isWanted) {
    reader.skipVarints(column.count)
    return []
  }
  return Array.from({ length: column.count }, () => reader[how]())
}

function unpackDoubles(reader: ByteReader, { count, isWanted }: Column): number[] {
  if (!isWanted) {
    reader.skip(count * 8)
    return []
  }
  return Array.from({ length: count }, () => reader.double())
}
