// The worker in which a sheet is read that somebody sent: see read-apart.ts.
import { parentPort, workerData } from 'node:worker_threads'
import type { ReadRow } from './spreadsheet.ts'
import { readSpreadsheet } from './spreadsheet-reader.ts'
import { tooMuchContent, UnreadableSheet } from './unreadable-sheet.ts'

/** What the worker is given. */
export interface SheetTask {
  path: string
  /** The number of rows that are read at most. */
  rowLimit: number
}

/** What it sends: rows in portions, then how it ended. Any other failure ends the worker. */
export type SheetMessage =
  | { kind: 'rows'; rows: ReadRow[] }
  | { kind: 'end' }
  | { kind: 'unreadable'; refusal: UnreadableSheet['refusal']; message: string }

/** Cells, and characters of all cells, that are handed over: a text that many cells share becomes one each. */
const cellCountLimit = 1_000_000
const textLimit = 16_000_000
const rowsAtOnce = 500

const { path, rowLimit } = workerData as SheetTask
const send = (message: SheetMessage) => parentPort?.postMessage(message)

try {
  let rows: ReadRow[] = []
  let rowCount = 0
  let cellCount = 0
  let textLength = 0
  for await (const row of readSpreadsheet(path)) {
    for (const cell of row.cells) textLength += cell?.length ?? 0
    cellCount += row.cells.length
    if (cellCount > cellCountLimit || textLength > textLimit) throw tooMuchContent()
    rows.push(row)
    rowCount += 1
    if (rows.length === rowsAtOnce) {
      send({ kind: 'rows', rows })
      rows = []
    }
    if (rowCount === rowLimit) break
  }
  send({ kind: 'rows', rows })
  send({ kind: 'end' })
} catch (error) {
  if (!(error instanceof UnreadableSheet)) throw error
  send({ kind: 'unreadable', refusal: error.refusal, message: error.message })
}
