import { characterStart, type Encoding } from './encoding.ts'

/**
 * A line longer than this is shown, indexed and searched as several rows: no line then, however long, has to be
 * decoded or drawn whole.
 */
export const maxRowBytes = 2048

const lineFeed = 10

export interface CutRows {
  /** Where each row begins; the bytes up to the next start, or to `end`, are its own. */
  starts: number[]
  /** Rows that go on with the line of the row before, by their place in `starts`. */
  continued: number[]
  /** Up to where there are whole rows. */
  end: number
}

/**
 * Cuts bytes, which begin where a row does, into rows. What is after the last line feed and not too long waits for
 * more bytes, unless these are the last. The same bytes are cut alike in pieces of any size.
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

/** Without line end and without colours of a terminal. */
export function cleanRow(text: string): string {
  const end = text.endsWith('\r\n') ? -2 : text.endsWith('\n') || text.endsWith('\r') ? -1 : undefined
  const line = end === undefined ? text : text.slice(0, end)
  return line.includes('\x1b') ? line.replace(terminalCodes, '') : line
}
