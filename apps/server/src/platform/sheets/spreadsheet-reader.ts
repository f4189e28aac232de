import { open, readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import sax from 'sax'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { Refusal, refuseInput } from '../refusal.ts'
import { readCsv } from './csv.ts'
import type { ReadRow } from './spreadsheet.ts'

/** What one part of the archive may come to when it is unpacked: some 20,000 rows are a tenth of it. */
const partLimitBytes = 64 * 1024 * 1024
const partCountLimit = 2_000
/** Excel's own limit. What no column needs is cut, so that a table of long texts stays small in memory. */
const columnLimit = 200
const cellLimit = 2_000
const sharedTextLimit = 400_000
/** Stands in a cell for what no text can hold. */
export const invalidCharacter = '\ufffd'

/**
 * The rows of the first sheet of an .xlsx, or of a CSV file, as they stand from the top; empty ones are left
 * out. What the file is, its content says and not its name. Read as a stream: of an .xlsx only the texts that
 * cells share are held in memory. Refuses what is neither (415), what is broken or unpacks to more than any
 * honest sheet (400).
 */
export async function* readSpreadsheet(path: string): AsyncGenerator<ReadRow> {
  const start = await firstBytes(path, 8)
  if (start.length === 0) refuseInput({ field: 'file', message: '文件是空的' })
  if (start.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'))) yield* readWorkbook(path)
  else if (start.equals(Buffer.from('d0cf11e0a1b11ae1', 'hex'))) {
    throw wrongType('不支持旧版（.xls）或加密的 Excel 文件，请另存为未加密的 .xlsx 文件')
  } else {
    const rows = readCsv(await readFile(path), { columns: columnLimit, cellLength: cellLimit })
    if (rows === null) throw wrongType('不支持的文件类型，请上传 .xlsx 或 .csv 文件')
    yield* rows
  }
}

const wrongType = (message: string) => new Refusal('wrongMediaType', [{ field: 'file', message }])
const broken = () =>
  new Refusal('badInput', [{ field: 'file', message: '文件已损坏，或不是有效的 Excel 文件' }])
const tooMuch = () => new Refusal('badInput', [{ field: 'file', message: '文件内容过多，请拆分后再上传' }])

async function firstBytes(path: string, count: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(count), 0, count, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

async function* readWorkbook(path: string): AsyncGenerator<ReadRow> {
  let archive: Archive | undefined
  try {
    archive = await openArchive(path)
    const sheet = await firstSheet(archive)
    const shared = archive.parts.has(sharedTexts) ? await readSharedTexts(archive) : []
    yield* readSheet(await archive.read(sheet), shared)
  } catch (error) {
    if (error instanceof Refusal || (error as NodeJS.ErrnoException).syscall !== undefined) throw error
    // An archive that lies about its parts, XML that is none, deflate that ends early: all the sender's.
    throw broken()
  } finally {
    archive?.zip.close()
  }
}

interface Archive {
  zip: ZipFile
  parts: ReadonlyMap<string, Entry>
  read(name: string): Promise<Readable>
}

async function openArchive(path: string): Promise<Archive> {
  // It checks sizes while unpacking: a part that comes to more than it says ends there.
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false })
  const parts = new Map<string, Entry>()
  try {
    if (zip.entryCount > partCountLimit) throw tooMuch()
    for await (const entry of zip.eachEntry()) parts.set(entry.fileName, entry)
  } catch (error) {
    zip.close()
    throw error
  }
  return {
    zip,
    parts,
    async read(name) {
      const entry = parts.get(name)
      if (!entry) throw wrongType('不是 Excel 工作簿，请上传 .xlsx 或 .csv 文件')
      if (entry.uncompressedSize > partLimitBytes) throw tooMuch()
      return zip.openReadStreamPromise(entry)
    },
  }
}

const workbookPart = 'xl/workbook.xml'
const relationsPart = 'xl/_rels/workbook.xml.rels'
const sharedTexts = 'xl/sharedStrings.xml'

/** The part that holds the first sheet of the workbook, as the workbook orders them. */
async function firstSheet(archive: Archive): Promise<string> {
  let relation: string | undefined
  for await (const _ of elements(await archive.read(workbookPart), {
    opened(name, attributes) {
      if (name === 'sheet') relation ??= attributes['r:id'] ?? attributes.id
    },
  }));
  let target: string | undefined
  for await (const _ of elements(await archive.read(relationsPart), {
    opened(name, attributes) {
      if (name === 'Relationship' && attributes.Id === relation) target = attributes.Target
    },
  }));
  if (target === undefined) throw broken()
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`
}

/**
 * Texts that cells refer to by number, as the cells will have them: done for each cell, a text of 2,000
 * characters that 600,000 cells refer to was as many texts, and a file of 160 KB took 2.4 GB. A phonetic
 * reading (`rPh`) is no part of the text.
 */
async function readSharedTexts(archive: Archive): Promise<string[]> {
  const texts: string[] = []
  let text = ''
  let isText = false
  let isPhonetic = false
  for await (const _ of elements(await archive.read(sharedTexts), {
    opened(name) {
      if (name === 'si') text = ''
      else if (name === 'rPh') isPhonetic = true
      else if (name === 't') isText = !isPhonetic
    },
    text(piece) {
      if (isText && text.length < cellLimit) text += piece
    },
    closed(name) {
      if (name === 't') isText = false
      else if (name === 'rPh') isPhonetic = false
      else if (name === 'si') {
        if (texts.push(storable(unescaped(text.slice(0, cellLimit)))) > sharedTextLimit) throw tooMuch()
      }
    },
  }));
  return texts
}

async function* readSheet(stream: Readable, shared: readonly string[]): AsyncGenerator<ReadRow> {
  let ready: ReadRow[] = []
  let row: ReadRow = { number: 0, cells: [] }
  let column = -1
  let type = ''
  let value = ''
  let isValue = false
  let isPhonetic = false
  const batches = elements(stream, {
    opened(name, attributes) {
      if (name === 'row') {
        row = { number: Number(attributes.r ?? row.number + 1), cells: [] }
        if (!Number.isSafeInteger(row.number)) throw broken()
        column = -1
      } else if (name === 'c') {
        column = attributes.r === undefined ? column + 1 : columnOf(attributes.r)
        type = attributes.t ?? 'n'
        value = ''
      } else if (name === 'rPh') isPhonetic = true
      else if (name === 'v' || (name === 't' && !isPhonetic)) isValue = true
    },
    text(piece) {
      if (isValue && value.length < cellLimit) value += piece
    },
    closed(name) {
      if (name === 'v' || name === 't') isValue = false
      else if (name === 'rPh') isPhonetic = false
      else if (name === 'c' && column >= 0 && column < columnLimit) {
        const text = cellText(type, value.slice(0, cellLimit), shared)
        if (text !== '') row.cells[column] = text
      } else if (name === 'row' && row.cells.length > 0) ready.push(row)
    },
  })
  for await (const _ of batches) {
    const rows = ready
    ready = []
    yield* rows
  }
}

function cellText(type: string, value: string, shared: readonly string[]): string {
  switch (type) {
    case 's':
      return shared[Number(value)] ?? ''
    case 'n':
      return storable(plainNumber(value))
    case 'b':
      return value === '1' ? 'TRUE' : value === '0' ? 'FALSE' : storable(value)
    default:
      return storable(unescaped(value))
  }
}

/** A code of digits that Excel took for a number stands there as 2.502000001E9. */
function plainNumber(value: string): string {
  if (!/e/i.test(value)) return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? String(number) : value
}

/** Excel writes what XML cannot hold as _x000D_. */
const unescaped = (text: string) =>
  text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** PostgreSQL has neither NUL nor half of a surrogate pair, and _x0000_ and _xD83D_ mean just these. */
const storable = (text: string) => text.replaceAll('\u0000', invalidCharacter).toWellFormed().trim()

/** The place of B in B12, from 0; -1 where it names none. */
function columnOf(reference: string): number {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference)?.[0] ?? ''
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

interface Handlers {
  opened(name: string, attributes: Readonly<Record<string, string>>): void
  text?(piece: string): void
  closed?(name: string): void
}

/** Feeds the parser piece by piece, and yields after each so that what was found can be passed on. */
async function* elements(stream: Readable, { opened, text, closed }: Handlers): AsyncGenerator<void> {
  const parser = sax.parser(true, { position: false })
  const plain = (name: string) => name.slice(name.indexOf(':') + 1)
  parser.onerror = (error) => {
    throw error
  }
  // Where entities would be declared: no workbook has one, and what it would grow to nobody knows.
  parser.ondoctype = () => {
    throw broken()
  }
  parser.onopentag = ({ name, attributes }) => opened(plain(name), attributes as Record<string, string>)
  if (text) {
    parser.ontext = text
    parser.oncdata = text
  }
  if (closed) parser.onclosetag = (name) => closed(plain(name))
  const decoder = new StringDecoder('utf8')
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      parser.write(decoder.write(chunk))
      yield
    }
    parser.write(decoder.end()).close()
    yield
  } finally {
    stream.destroy()
  }
}
