// Searches all rows in chunks, and continues when more rows arrive.
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
  /** The count stopped at the limit. */
  isCapped: boolean
  isOver: boolean
}

export interface Hit {
  /** Index among all rows. */
  row: number
  /** Index among the shown rows. */
  place: number
  /** Position and length within the row's text, in UTF-16 units. */
  column: number
  length: number
}

/** Counting stops here: nobody steps through more hits. */
export const hitLimit = 1_000_000

const stretchRows = 16_384

/** The pattern for a search text; the page uses it too, to highlight hits. */
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
  /** A token per search: a search that is no longer the present one stops. */
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

  /** A chunk ends at a block's end while more rows may arrive. */
  function endOfStretch(from: number): number {
    const end = Math.min(from + stretchRows, index.rowCount)
    return isComplete() ? end : end - (end % blockRows)
  }

  /** Hits as [row, column]. `from` is the first row of a block. */
  async function hitsIn(
    from: number,
    end: number,
    pattern: RegExp,
  ): Promise<[row: number, column: number][]> {
    // One more row than is searched: where a line continues there, a hit may reach into it.
    const range = index.bytesOf(from, end + 1)
    const part = await bytes.read(range.from, range.to)
    const isPlain = !index.hasContinued(from, end + blockRows) && !part.includes(0x1b)
    const found = isPlain ? plainHits(part, from, pattern) : rowHits(part, from, pattern)
    return found.filter(([row]) => row < end)
  }

  /**
   * For a part without long lines, where every row is a line: decoded and searched as a whole, counting lines only up
   * to each hit.
   */
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
      // Where the line continues in the next row, a hit may too; it belongs to the row where it begins.
      const rest = index.isContinued(row + 1) ? (texts[at + 1] ?? '') : ''
      return [...(text + rest).matchAll(pattern)]
        .filter((match) => match.index < text.length)
        .map((match): [number, number] => [row, match.index])
    })
  }

  return {
    begin,
    /** Call when more rows have arrived. */
    goOn,
    /** Starts again, because other rows are shown. */
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
    /** The number of the first hit in or after a row; wraps around once the search has finished. */
    hitFrom(row: number): number | undefined {
      const number = hitRows.countBelow(row)
      if (number < hitRows.length) return number
      return hitRows.length > 0 && isOver() ? 0 : undefined
    },
  }
}
