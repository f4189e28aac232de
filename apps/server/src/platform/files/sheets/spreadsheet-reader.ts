import { open, readFile } from 'node:fs/promises'
import { cellLimit, columnLimit } from './cell-limits.ts'
import { readCsv } from './csv.ts'
import type { ReadRow } from './spreadsheet.ts'
import { emptyFile, wrongType } from './unreadable-sheet.ts'
import { readWorkbook } from './workbook-reader.ts'

/**
 * The rows of the first sheet of an .xlsx, or of a CSV file, as they stand from the top; empty ones are left
 * out. What the file is, its content says and not its name. Throws UnreadableSheet for what is neither, for what is
 * broken, and for what comes to more than any honest sheet. A stranger's file is read in a worker: `readSheetApart`.
 */
export async function* readSpreadsheet(path: string): AsyncGenerator<ReadRow> {
  const start = await firstBytes(path, 8)
  if (start.length === 0) throw emptyFile()
  if (start.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'))) yield* readWorkbook(path)
  else if (start.equals(Buffer.from('d0cf11e0a1b11ae1', 'hex'))) {
    throw wrongType('不支持旧版（.xls）或加密的 Excel 文件，请另存为未加密的 .xlsx 文件')
  } else {
    const rows = readCsv(await readFile(path), { columns: columnLimit, cellLength: cellLimit })
    if (rows === null) throw wrongType('不支持的文件类型，请上传 .xlsx 或 .csv 文件')
    yield* rows
  }
}

async function firstBytes(path: string, count: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(count), 0, count, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
