import { setImmediate } from 'node:timers/promises'
import type { ReadRow } from './spreadsheet.ts'

/** What no text has: the sign of another kind of file. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const controlCharacters = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/
const separators = [',', '\t', ';'] as const

/**
 * The rows of a CSV file as Excel and WPS save it: UTF-8 or UTF-16 by its mark, else UTF-8 where it can be that, else
 * GB 18030. Null where it is no text at all. A row is a record: a line break within quotes begins none, as in the sheet
 * that it is shown as. Rows are made as they are read: 10 MB of line breaks, all made at once, took 1.8 GB and blocked
 * the server for six seconds.
 */
export function readCsv(
  bytes: Buffer,
  limits: { columns: number; cellLength: number },
): AsyncGenerator<ReadRow> | null {
  const text = decoded(bytes)
  return text === null || controlCharacters.test(text) ? null : filledRows(text, limits)
}

/** Rows without a pause for whatever else waits. */
const rowsAtOnce = 5_000

async function* filledRows(text: string, limits: Parameters<typeof readCsv>[1]): AsyncGenerator<ReadRow> {
  const firstLine = text.slice(0, text.search(/[\r\n]|$/))
  const separator = separators.find((one) => firstLine.includes(one)) ?? ','
  let number = 0
  for (const cells of records(text, separator, limits)) {
    number += 1
    if (number % rowsAtOnce === 0) await setImmediate()
    const filled = cells.map((cell) => cell.trim() || undefined)
    if (filled.some((cell) => cell !== undefined)) yield { number, cells: filled }
  }
}

function decoded(bytes: Buffer): string | null {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  for (const encoding of utf16 ? ['utf-16le'] : ['utf-8', 'gb18030']) {
    try {
      // It takes the mark at the beginning away.
      return new TextDecoder(encoding, { fatal: true }).decode(bytes)
    } catch {
      // Not this one.
    }
  }
  return null
}

/** Cells beyond the last column, and what is too long of one, are left out. */
function* records(
  text: string,
  separator: string,
  { columns, cellLength }: Parameters<typeof readCsv>[1],
): Generator<string[]> {
  let cells: string[] = []
  let cell = ''
  let isQuoted = false
  const add = (character: string) => {
    if (cell.length < cellLength) cell += character
  }
  const endCell = () => {
    if (cells.length < columns) cells.push(cell)
    cell = ''
  }
  const ended = () => {
    endCell()
    const row = cells
    cells = []
    return row
  }
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string
    if (isQuoted) {
      if (character !== '"') add(character)
      else if (text[at + 1] === '"') {
        add('"')
        at += 1
      } else isQuoted = false
    } else if (character === '"' && cell === '') isQuoted = true
    else if (character === separator) endCell()
    else if (character === '\n') yield ended()
    else if (character !== '\r') add(character)
    else if (text[at + 1] !== '\n') yield ended()
  }
  if (cell !== '' || cells.length > 0) yield ended()
}
