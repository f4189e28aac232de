import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSpreadsheet } from '../src/platform/files/sheets/spreadsheet-reader.ts'

/** The cells of an answer's .xlsx, the titles first. */
export const rowsOfSheet = async (answer: Response) => rowsOfFile(Buffer.from(await answer.arrayBuffer()))

/** The cells of an .xlsx, the titles first. */
export async function rowsOfFile(content: Buffer): Promise<(string | undefined)[][]> {
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-sheet-'))
  try {
    const path = join(directory, 'answer.xlsx')
    writeFileSync(path, content)
    const rows: (string | undefined)[][] = []
    for await (const { cells } of readSpreadsheet(path)) rows.push(cells)
    return rows
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
