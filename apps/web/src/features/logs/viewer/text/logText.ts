// The viewer's access to a text of a hundred megabytes: visible rows, hits, times, lines to copy. Runs in the worker;
// the browser keeps the bytes, and only the requested rows are decoded.
import type { Encoding } from './encoding.ts'
import { growingIntegers } from './growing.ts'
import { createKeptBytes } from './keptBytes.ts'
import { levels } from './levels.ts'
import { blockRows, createLineIndex } from './lineIndex.ts'
import { cleanRow, cutRows } from './rows.ts'
import { createSearch, type Hit, type SearchQuery, type SearchState } from './search.ts'
import { type Base, timeHeadLength, timeOf } from './times.ts'

export interface Row {
  /** From 1; undefined where the row continues the line of the row before. */
  line: number | undefined
  /** Index in `levels`; 0 where the line has no level. */
  level: number
  text: string
}

export interface TextState {
  bytes: number
  rows: number
  lines: number
  /** The number of rows that the filter shows. */
  shownRows: number
  encoding: Encoding
  /** Number of lines by level, in the order of `levels`. */
  levelCounts: readonly number[]
  /** NaN where no line has a time. */
  firstTime: number
  lastTime: number
  isComplete: boolean
}

/** At most this many lines are copied at once. */
export const copyLimitLines = 100_000

/** Rows are read in chunks of about this size. */
const stretchRows = 8_192

export interface LogText {
  append(bytes: Uint8Array): void
  finish(): void
  state(): TextState
  /** The shown rows from this place on. A place is an index among the rows that the filter shows. */
  rows(from: number, count: number): Promise<Row[]>
  /** Shows only these levels, by index; all where undefined. Returns the new place of the row at `place`. */
  filter(shown: readonly number[] | undefined, place: number): number
  /** Starts a search and cancels the one before. */
  search(query: SearchQuery | undefined): void
  searchState(): SearchState
  /** The hit with this number. */
  hit(number: number): Hit | undefined
  /**
   * The number of the first hit in or after the row at this place. Where there is none, the first hit of all, once
   * the search has finished.
   */
  hitFrom(place: number): number | undefined
  /** The place of the first row at or after a time. Undefined where no row is that late, or no line has a time. */
  placeOfTime(time: number): Promise<number | undefined>
  /** The time of the row at this place, or of the next nearby row with a time; NaN without one. */
  timeAt(place: number): Promise<number>
  /** All bytes so far. */
  whole(): Blob
  /** The lines of the rows between two places, both inclusive. */
  copied(from: number, to: number): Promise<string>
}

/** `base` completes times without a year or a date; `encoding` is detected unless given. */
export function createLogText({
  encoding: given,
  base,
}: {
  encoding?: Encoding | undefined
  base: Base
}): LogText {
  const bytes = createKeptBytes()
  const index = createLineIndex({ ...(given && { encoding: given }), base })
  let isComplete = false
  /** The shown rows while a filter is set. */
  let shownRows: ReturnType<typeof growingIntegers> | undefined
  let shownLevels: ReadonlySet<number> | undefined

  const isShown = (row: number) => !shownLevels || shownLevels.has(index.levelOf(row).level)
  const rowAt = (place: number) => (shownRows ? (shownRows.at(place) ?? index.rowCount) : place)
  const placeOf = (row: number) => (shownRows ? shownRows.countBelow(row) : row)
  const nearest = (row: number) => Math.min(placeOf(row), Math.max(0, shownCount() - 1))
  const shownCount = () => (shownRows ? shownRows.length : index.rowCount)

  function show(from: number) {
    if (!shownRows) return
    for (let row = from; row < index.rowCount; row += 1) if (isShown(row)) shownRows.push(row)
  }

  /** Decodes consecutive rows, and returns a function from row to text. */
  async function read(firstRow: number, endRow: number): Promise<(row: number) => string> {
    const { from, to, row: first } = index.bytesOf(firstRow, endRow)
    const part = await bytes.read(from, to)
    const { starts } = cutRows(part, index.encoding, { isLast: true, isContinued: false })
    const decoder = new TextDecoder(index.encoding)
    return (row) => cleanRow(decoder.decode(part.subarray(starts[row - first], starts[row - first + 1])))
  }

  /** Calls `visit` for the rows at these places, in order. */
  async function visitPlaces(from: number, to: number, visit: (row: number, text: string) => void) {
    const end = Math.min(to, shownCount())
    for (let place = from; place < end; ) {
      const rows = [rowAt(place)]
      // A short gap of hidden rows is read along with the rest; a long one starts the next chunk.
      for (let next = place + 1; next < end && rows.length < stretchRows; next += 1) {
        if (rowAt(next) - (rows.at(-1) ?? 0) > blockRows) break
        rows.push(rowAt(next))
      }
      const textOf = await read(rows[0] ?? 0, (rows.at(-1) ?? 0) + 1)
      for (const row of rows) visit(row, textOf(row))
      place += rows.length
    }
  }

  const search = createSearch({ index, bytes, isShown, isComplete: () => isComplete })

  return {
    append(added) {
      const before = index.rowCount
      bytes.append(added)
      index.push(added)
      show(before)
      search.goOn()
    },
    finish() {
      const before = index.rowCount
      index.finish()
      isComplete = true
      show(before)
      search.goOn()
    },
    state: () => ({
      bytes: bytes.size,
      rows: index.rowCount,
      lines: index.lineCount,
      shownRows: shownCount(),
      encoding: index.encoding,
      levelCounts: [...index.levelCounts],
      firstTime: index.firstTime,
      lastTime: index.lastTime,
      isComplete,
    }),
    async rows(from, count) {
      const rows: Row[] = []
      await visitPlaces(from, from + count, (row, text) => {
        const { level, isInherited } = index.levelOf(row)
        const line = index.isContinued(row) ? undefined : index.lineOf(row)
        rows.push({ line, level: isInherited ? 0 : level, text })
      })
      return rows
    },
    filter(shown, place) {
      const row = rowAt(place)
      const isAll = shown === undefined || levels.every((_, level) => shown.includes(level))
      shownLevels = isAll ? undefined : new Set(shown)
      shownRows = isAll ? undefined : growingIntegers()
      show(0)
      search.again()
      return nearest(row)
    },
    search: search.begin,
    searchState: search.state,
    hit(number) {
      const found = search.hit(number)
      return found && { ...found, place: placeOf(found.row) }
    },
    hitFrom: (place) => search.hitFrom(rowAt(place)),
    async placeOfTime(time) {
      const around = index.rowsAround(time)
      if (!around) return undefined
      for (let from = around.from; from < around.to; from += stretchRows) {
        const end = Math.min(from + stretchRows, around.to, index.rowCount)
        const textOf = await read(from, end)
        for (let row = from; row < end; row += 1) {
          if (index.isContinued(row)) continue
          if (timeOf(textOf(row).slice(0, timeHeadLength), base) >= time) return nearest(row)
        }
      }
      return undefined
    },
    async timeAt(place) {
      let time = Number.NaN
      await visitPlaces(place, place + 64, (_, text) => {
        if (Number.isNaN(time)) time = timeOf(text.slice(0, timeHeadLength), base)
      })
      return time
    },
    whole: bytes.whole,
    async copied(from, to) {
      const parts: string[] = []
      await visitPlaces(from, to + 1, (row, text) => {
        parts.push(index.isContinued(row) || parts.length === 0 ? text : `\n${text}`)
      })
      return parts.join('')
    },
  }
}
