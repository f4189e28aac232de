// One report as it waits in the open table: ids of readings with their values, in the order of the report.
import { ByteReader, ByteWriter } from './bytes.ts'
import { decimalsOf, kinds, unitOf } from './scaling.ts'

export type ReadingValue = number | boolean

const version = 1
const writer = new ByteWriter()

/** The first `count` of the ids and values. */
export function packReport(ids: ArrayLike<number>, values: ArrayLike<ReadingValue>, count: number): Buffer {
  writer.clear()
  writer.byte(version)
  let before = 0
  for (let index = 0; index < count; index += 1) {
    const id = ids[index] as number
    const value = values[index] as ReadingValue
    writer.zigzag(id - before)
    before = id
    if (typeof value === 'boolean') {
      writer.byte(kinds.boolean | (value ? 16 : 0))
      continue
    }
    const decimals = decimalsOf(value)
    if (decimals < 0) {
      writer.byte(kinds.raw)
      writer.double(value)
    } else {
      writer.byte(kinds.whole + decimals)
      writer.zigzag(Math.round(value * unitOf(decimals)))
    }
  }
  return writer.taken()
}

export function unpackReport(body: Uint8Array): { ids: number[]; values: ReadingValue[] } {
  const reader = new ByteReader(body)
  const found = reader.byte()
  if (found !== version) throw new Error(`a report of readings has the unknown version ${found}`)
  const ids: number[] = []
  const values: ReadingValue[] = []
  let id = 0
  while (!reader.isAtEnd) {
    id += reader.zigzag()
    ids.push(id)
    const tag = reader.byte()
    const kind = tag & 15
    if (kind === kinds.boolean) values.push(tag >= 16)
    else if (kind === kinds.raw) values.push(reader.double())
    else values.push(reader.zigzag() / unitOf(kind - kinds.whole))
  }
  return { ids, values }
}
