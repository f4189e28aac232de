// An index of a text's rows: where they begin, their levels and times. The text itself is not kept.
import { detectEncoding, type Encoding } from './encoding.ts'
import { growingBytes, growingFloats, growingIntegers } from './growing.ts'
import { headLength, levelOf, levels } from './levels.ts'
import { cutRows, maxRowBytes } from './rows.ts'
import { type Base, timeHeadLength, timeOf } from './times.ts'

/** Rows are located and read in blocks of this size: one offset and one time are kept per block. */
export const blockRows = 64

/** A flag: a row without a level of its own has the level of the entry above, like the lines of a stack trace. */
const inherited = 8

export interface LineIndex {
  readonly rowCount: number
  /** Lines as an editor counts them; a long line is several rows. */
  readonly lineCount: number
  readonly encoding: Encoding
  /** The number of lines per level of their own, in the order of `levels`. */
  readonly levelCounts: readonly number[]
  /** The first and the last time found; NaN without any. */
  readonly firstTime: number
  readonly lastTime: number
  /** Adds the bytes that follow the ones added before. */
  push(bytes: Uint8Array): void
  /** The end of the text: the remaining bytes are the last row. */
  finish(): void
  /** The line number of a row, from 1. */
  lineOf(row: number): number
  /** Whether the row continues the line of the row before. */
  isContinued(row: number): boolean
  /** The level of the row's line; `isInherited`: it is the level of the entry above. */
  levelOf(row: number): { level: number; isInherited: boolean }
  /** Whether any of these rows continues the line of the row before. */
  hasContinued(firstRow: number, endRow: number): boolean
  /** The byte range of the blocks that contain these rows, and the first row in it. */
  bytesOf(firstRow: number, endRow: number): { from: number; to: number; row: number }
  /** A range of rows that contains the first row at or after a time. Undefined where no row is that late. */
  rowsAround(time: number): { from: number; to: number } | undefined
}

/**
 * Indexes a text that arrives in pieces of any size. `encoding` is detected unless given; `base` completes times
 * without a year or a date.
 */
export function createLineIndex({ encoding: given, base }: { encoding?: Encoding; base: Base }): LineIndex {
  const blockStarts = growingIntegers()
  const blockTimes = growingFloats()
  const rowLevels = growingBytes()
  const continuedRows = growingIntegers()
  const levelCounts = levels.map(() => 0)
  let encoding = given
  /** The end of the rows found so far; the bytes after it are in `rest`. */
  let endByte = 0
  let rest: Uint8Array = new Uint8Array()
  let isWithinLine = false
  let entryLevel = 0
  let lineLevel = 0
  let firstTime = Number.NaN
  let lastTime = Number.NaN

  function take(bytes: Uint8Array, isLast: boolean) {
    // The encoding is detected from whole lines: at the end of the bytes a character may be cut off.
    const whole = isLast || bytes.length > maxRowBytes * 2 ? bytes.length : bytes.lastIndexOf(10) + 1
    encoding ??= detectEncoding(bytes.subarray(0, whole))
    const cut = cutRows(bytes, encoding ?? 'utf-8', { isLast, isContinued: isWithinLine })
    // Where a long line was cut between characters, its rows have to be read with the same encoding.
    if (cut.continued.length > 0 && bytes.some((byte) => byte > 0x7f)) encoding ??= 'utf-8'
    // windows-1252 has one character per byte, so that positions in the text are positions in the bytes.
    const text = new TextDecoder('windows-1252').decode(bytes)
    let nextContinued = 0
    for (let at = 0; at < cut.starts.length; at += 1) {
      const start = cut.starts[at] ?? 0
      const end = cut.starts[at + 1] ?? cut.end
      const isContinued = cut.continued[nextContinued] === at
      if (isContinued) nextContinued += 1
      addRow(endByte + start, isContinued, (length) =>
        headOf(text, bytes, start, Math.min(end, start + length)),
      )
    }
    findLastTime(text, cut.starts)
    isWithinLine = cut.end > 0 ? bytes[cut.end - 1] !== 10 : isWithinLine
    endByte += cut.end
    rest = bytes.slice(cut.end)
  }

  function findLastTime(text: string, starts: readonly number[]) {
    for (const start of starts.slice(-blockRows).reverse()) {
      const time = timeOf(text.slice(start, start + timeHeadLength).split('\n', 1)[0] ?? '', base)
      if (Number.isNaN(time)) continue
      lastTime = time
      return
    }
  }

  function headOf(text: string, bytes: Uint8Array, start: number, end: number): string {
    const head = text.slice(start, end)
    return beyondAscii.test(head) ? new TextDecoder(encoding).decode(bytes.subarray(start, end)) : head
  }

  function addRow(start: number, isContinued: boolean, head: (length: number) => string) {
    const row = rowLevels.length
    if (row % blockRows === 0) {
      blockStarts.push(start)
      blockTimes.push(Number.NaN)
      isTimeWanted = true
    }
    if (isContinued) {
      continuedRows.push(row)
      rowLevels.push(lineLevel === 0 ? entryLevel | inherited : lineLevel)
      return
    }
    const words = head(headLength)
    lineLevel = levelOf(words)
    levelCounts[lineLevel] = (levelCounts[lineLevel] ?? 0) + 1
    if (lineLevel !== 0) entryLevel = lineLevel
    rowLevels.push(lineLevel === 0 ? entryLevel | inherited : lineLevel)
    if (isTimeWanted) findTime(words)
  }

  /** One time per block is enough to locate the block. */
  let isTimeWanted = false
  function findTime(words: string) {
    const time = timeOf(words.slice(0, timeHeadLength), base)
    if (Number.isNaN(time)) return
    blockTimes.set(blockTimes.length - 1, time)
    isTimeWanted = false
    if (Number.isNaN(firstTime)) firstTime = time
  }

  return {
    get rowCount() {
      return rowLevels.length
    },
    get lineCount() {
      return rowLevels.length - continuedRows.length
    },
    get encoding() {
      return encoding ?? 'utf-8'
    },
    get firstTime() {
      return firstTime
    },
    get lastTime() {
      return lastTime
    },
    levelCounts,
    push(bytes) {
      take(joined(rest, bytes), false)
    },
    finish() {
      take(rest, true)
    },
    lineOf: (row) => row + 1 - continuedRows.countBelow(row + 1),
    isContinued: (row) => continuedRows.at(continuedRows.countBelow(row)) === row,
    hasContinued: (firstRow, endRow) => continuedRows.countBelow(endRow) > continuedRows.countBelow(firstRow),
    levelOf(row) {
      const kept = rowLevels.at(row) ?? 0
      return { level: kept & 7, isInherited: (kept & inherited) !== 0 }
    },
    bytesOf(firstRow, endRow) {
      const first = Math.floor(firstRow / blockRows)
      const end = Math.ceil(Math.min(endRow, rowLevels.length) / blockRows)
      return {
        from: blockStarts.at(first) ?? endByte,
        to: blockStarts.at(end) ?? endByte,
        row: first * blockRows,
      }
    },
    rowsAround(time) {
      let before = 0
      for (let block = 0; block < blockTimes.length; block += 1) {
        const at = blockTimes.at(block) ?? Number.NaN
        if (at >= time) return { from: before * blockRows, to: (block + 1) * blockRows }
        if (at < time) before = block
      }
      // The last block with a time may also contain later times than its first one.
      return before * blockRows < rowLevels.length && !Number.isNaN(firstTime)
        ? { from: before * blockRows, to: rowLevels.length }
        : undefined
    },
  }
}

const beyondAscii = /[^\0-\x7f]/

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
