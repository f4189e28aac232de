import type { ReadRow } from './spreadsheet.ts'

/** What no text has: the sign of another kind of file. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const controlCharacters = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/
const separators = [',', '\t', ';'] as const

/**
 * The rows of a CSV file as Excel and WPS save it: UTF-8 or UTF-16 by its mark, else UTF-8 where it can be
 * that, else GB 18030. Null where it is no text at all. A row is a record: a line break within quotes begins
 * none, as in the sheet that it is shown as.
 */
export function readCsv(bytes: Buffer): ReadRow[] | null {
  const text = decoded(bytes)
  if (text === null || controlCharacters.test(text)) return null
  const firstLine = text.slice(0, text.search(/[\r\n]|$/))
  const separator = separators.find((one) => firstLine.includes(one)) ?? ','
  return records(text, separator).flatMap((cells, index) => {
    const filled = cells.map((cell) => cell.trim() || undefined)
    return filled.some((cell) => cell !== undefined) ? [{ number: index + 1, cells: filled }] : []
  })
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

function records(text: string, separator: string): string[][] {
  const rows: string[][] = []
  let cells: string[] = []
  let cell = ''
  let isQuoted = false
  const endCell = () => {
    cells.push(cell)
    cell = ''
  }
  const endRow = () => {
    endCell()
    rows.push(cells)
    cells = []
  }
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (text[at + 1] === '"') {
        cell += '"'
        at += 1
      } else isQuoted = false
    } else if (character === '"' && cell === '') isQuoted = true
    else if (character === separator) endCell()
    else if (character === '\n') endRow()
    else if (character !== '\r' || text[at + 1] !== '\n') {
      if (character === '\r') endRow()
      else cell += character
    }
  }
  if (cell !== '' || cells.length > 0) endRow()
  return rows
}
