import { characterStart, type Encoding } from './encoding.ts'

/** A longer line is shown, indexed and searched as several rows, so that no line has to be decoded or drawn whole. */
export const maxRowBytes = 2048

const lineFeed = 10

export interface CutRows {
  /** The offset of each row; a row ends at the next offset, or at `end`. */
  starts: number[]
  /** Indexes in `starts` of the rows that continue the line of the row before. */
  continued: number[]
  /** The end of the complete rows. */
  end: number
}

/**
 * Splits bytes, which begin at a row, into rows. An incomplete last line waits for more bytes unless it is too long
 * or `isLast` is set. The size of the pieces does not affect the result.
 */
export function cutRows(
  bytes: Uint8Array,
  encoding: Encoding,
  { isLast, isContinued }: { isLast: boolean; isContinued: boolean },
): CutRows {
  const starts: number[] = []
  const continued: number[] = []
  let start = 0
  let isWithin = isContinued
  const add = (end: number, goesOn: boolean) => {
    if (isWithin) continued.push(starts.length)
    starts.push(start)
    start = end
    isWithin = goesOn
  }
  for (;;) {
    const feed = bytes.indexOf(lineFeed, start)
    const end = feed === -1 ? bytes.length : feed
    while (end - start > maxRowBytes) {
      add(characterStart(bytes, start, start + maxRowBytes, encoding), true)
    }
    if (feed === -1) break
    add(feed + 1, false)
  }
  if (isLast && start < bytes.length) add(bytes.length, false)
  return { starts, continued, end: start }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
const terminalCodes = /\x1b\[[0-9;?]*[A-Za-z]/g

/** Removes the line ending and terminal colour codes. */
export function cleanRow(text: string): string {
  const end = text.endsWith('\r\n') ? -2 : text.endsWith('\n') || text.endsWith('\r') ? -1 : undefined
  const line = end === undefined ? text : text.slice(0, end)
  return line.includes('\x1b') ? line.replace(terminalCodes, '') : line
}
