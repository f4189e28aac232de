// Looks for a text in all rows, a stretch at a time, and goes on when more rows come.
import { growingIntegers } from './growing.ts'
import type { KeptBytes } from './keptBytes.ts'
import { blockRows, type LineIndex } from './lineIndex.ts'
import { cleanRow, cutRows } from './rows.ts'

export interface SearchQuery {
  text: string
  isCaseSensitive: boolean
}

export interface SearchState {
  query: SearchQuery | undefined
  hits: number
  /** There are more hits than are counted. */
  isCapped: boolean
  isOver: boolean
}

export interface Hit {
  /** Among all rows. */
  row: number
  /** Among the rows that are shown. */
  place: number
  /** Where in the row's text it begins, and how long it is, in UTF-16 units. */
  column: number
  length: number
}

/** Nobody walks through more. */
export const hitLimit = 1_000_000

const stretchRows = 16_384

/** The pattern that finds a text; for what is in sight the page uses it too. */
export function patternOf({ text, isCaseSensitive }: SearchQuery): RegExp {
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), isCaseSensitive ? 'g' : 'gi')
}

export function createSearch({
  index,
  bytes,
  isShown,
  isComplete,
}: {
  index: LineIndex
  bytes: KeptBytes
  isShown: (row: number) => boolean
  isComplete: () => boolean
}) {
  let query: SearchQuery | undefined
  let hitRows = growingIntegers()
  let hitColumns = growingIntegers()
  let nextRow = 0
  /** Each search has its own; one that finds another in its place stops. */
  let present = {}
  let isRunning = false
  const isCapped = () => hitRows.length >= hitLimit
  const isOver = () => query === undefined || isCapped() || (isComplete() && nextRow >= index.rowCount)

  function begin(next: SearchQuery | undefined) {
    query = next?.text ? next : undefined
    hitRows = growingIntegers()
    hitColumns = growingIntegers()
    nextRow = 0
    present = {}
    isRunning = false
    goOn()
  }

  function goOn() {
    if (isRunning || !query) return
    isRunning = true
    void run(present, query)
  }

  async function run(own: object, asked: SearchQuery) {
    const pattern = patternOf(asked)
    while (nextRow < index.rowCount && !isCapped()) {
      const from = nextRow
      const end = endOfStretch(from)
      if (end === from) break
      const found = await hitsIn(from, end, pattern)
      if (own !== present) return
      for (const [row, column] of found) {
        if (isCapped() || !isShown(row)) continue
        hitRows.push(row)
        hitColumns.push(column)
      }
      nextRow = end
    }
    isRunning = false
  }

  /** Whole blocks, while more rows may come. */
  function endOfStretch(from: number): number {
    const end = Math.min(from + stretchRows, index.rowCount)
    return isComplete() ? end : end - (end % blockRows)
  }

  /** `from` is the first row of a block. */
  async function hitsIn(
    from: number,
    end: number,
    pattern: RegExp,
  ): Promise<[row: number, column: number][]> {
    // One row more than is searched: a hit may reach into it where a line goes on there.
    const range = index.bytesOf(from, end + 1)
    const part = await bytes.read(range.from, range.to)
    const isPlain = !index.hasContinued(from, end + blockRows) && !part.includes(0x1b)
    const found = isPlain ? plainHits(part, from, pattern) : rowHits(part, from, pattern)
    return found.filter(([row]) => row < end)
  }

  /** Every row is a line: decoded and searched in one go, and lines are counted only up to hits. */
  function plainHits(part: Uint8Array, from: number, pattern: RegExp): [number, number][] {
    const text = new TextDecoder(index.encoding).decode(part)
    const found: [number, number][] = []
    let row = from
    let rowStart = 0
    for (const match of text.matchAll(pattern)) {
      for (;;) {
        const feed = text.indexOf('\n', rowStart)
        if (feed === -1 || feed >= match.index) break
        row += 1
        rowStart = feed + 1
      }
      found.push([row, match.index - rowStart])
    }
    return found
  }

  function rowHits(part: Uint8Array, from: number, pattern: RegExp): [number, number][] {
    const { starts } = cutRows(part, index.encoding, { isLast: true, isContinued: false })
    const decoder = new TextDecoder(index.encoding)
    const texts = starts.map((start, at) => cleanRow(decoder.decode(part.subarray(start, starts[at + 1]))))
    return texts.flatMap((text, at) => {
      const row = from + at
      // Where the line goes on in the next row, so may a hit; it counts where it begins.
      const rest = index.isContinued(row + 1) ? (texts[at + 1] ?? '') : ''
      return [...(text + rest).matchAll(pattern)]
        .filter((match) => match.index < text.length)
        .map((match): [number, number] => [row, match.index])
    })
  }

  return {
    begin,
    /** There are more rows. */
    goOn,
    /** From the beginning: other rows are shown. */
    again: () => begin(query),
    state: (): SearchState => ({
      query,
      hits: hitRows.length,
      isCapped: isCapped(),
      isOver: isOver(),
    }),
    hit(number: number): Omit<Hit, 'place'> | undefined {
      const row = hitRows.at(number)
      if (row === undefined || !query) return undefined
      return { row, column: hitColumns.at(number) ?? 0, length: query.text.length }
    },
    /** The first hit in or after a row; around the end, once all are found. */
    hitFrom(row: number): number | undefined {
      const number = hitRows.countBelow(row)
      if (number < hitRows.length) return number
      return hitRows.length > 0 && isOver() ? 0 : undefined
    },
  }
}
