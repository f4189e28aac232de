// Reads the rows of the first sheet of an .xlsx file, as a stream and within limits: only the texts that cells share
// are kept in memory.
import type { Readable } from 'node:stream'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { elements, type Handlers } from './bounded-xml.ts'
import { cellLimit, columnLimit, invalidCharacter } from './cell-limits.ts'
import type { ReadRow } from './spreadsheet.ts'
import { brokenFile, tooMuchContent, UnreadableSheet, wrongType } from './unreadable-sheet.ts'

/** Throws UnreadableSheet. */
export async function* readWorkbook(path: string): AsyncGenerator<ReadRow> {
  let archive: Archive | undefined
  try {
    archive = await openArchive(path)
    const sheet = await firstSheet(archive)
    const shared = archive.parts.has(sharedTexts) ? await readSharedTexts(archive) : []
    yield* readSheet(await archive.read(sheet, partLimits.sheet), shared)
  } catch (error) {
    if (error instanceof UnreadableSheet || (error as NodeJS.ErrnoException).syscall !== undefined)
      throw error
    // An archive that lies about its parts, invalid XML, deflate that ends early: all are the sender's fault.
    throw brokenFile()
  } finally {
    archive?.zip.close()
  }
}

interface Archive {
  zip: ZipFile
  parts: ReadonlyMap<string, Entry>
  /** The part's content, up to the limit of its kind. */
  read(name: string, limit: PartLimit): Promise<Readable>
}

async function openArchive(path: string): Promise<Archive> {
  // It checks sizes while unpacking: a part that comes to more than it says ends there.
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false })
  const parts = new Map<string, Entry>()
  try {
    if (zip.entryCount > partCountLimit) throw tooMuchContent()
    for await (const entry of zip.eachEntry()) parts.set(entry.fileName, entry)
  } catch (error) {
    zip.close()
    throw error
  }
  return {
    zip,
    parts,
    async read(name, { sizeBytes }) {
      const entry = parts.get(name)
      if (!entry) throw wrongType('不是 Excel 工作簿，请上传 .xlsx 或 .csv 文件')
      if (entry.uncompressedSize > sizeBytes) throw tooMuchContent()
      return zip.openReadStreamPromise(entry)
    },
  }
}

const megabyte = 1024 * 1024

/**
 * The limits of each kind of part when it is unpacked. Some 20,000 devices are 6 MB of sheet, a workbook of a hundred
 * sheets is 20 KB.
 */
const partLimits = {
  workbook: { sizeBytes: megabyte, elementLimit: 20_000 },
  shared: { sizeBytes: 32 * megabyte, elementLimit: 3_000_000 },
  sheet: { sizeBytes: 64 * megabyte, elementLimit: 5_000_000 },
}
type PartLimit = (typeof partLimits)[keyof typeof partLimits]

const partCountLimit = 2_000
const sharedTextLimit = 400_000
/** Of all shared texts together, in characters: as many as the part may have bytes are twice as many in memory. */
const sharedLengthLimit = 16_000_000
const workbookPart = 'xl/workbook.xml'
const relationsPart = 'xl/_rels/workbook.xml.rels'
const sharedTexts = 'xl/sharedStrings.xml'

/** The part with the first sheet of the workbook, as the workbook orders them. */
async function firstSheet(archive: Archive): Promise<string> {
  let relation: string | undefined
  const limit = partLimits.workbook
  const findRelation = {
    opened(name: string, attributes: Readonly<Record<string, string>>) {
      if (name === 'sheet') relation ??= attributes['r:id'] ?? attributes.id
    },
  }
  for await (const _ of elements(await archive.read(workbookPart, limit), findRelation, limit));
  let target: string | undefined
  const findTarget = {
    opened(name: string, attributes: Readonly<Record<string, string>>) {
      if (name === 'Relationship' && attributes.Id === relation) target = attributes.Target
    },
  }
  for await (const _ of elements(await archive.read(relationsPart, limit), findTarget, limit));
  if (target === undefined) throw brokenFile()
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`
}

/**
 * Texts that cells refer to by number, converted once for all cells: converted for each cell, a text of 2,000
 * characters that 600,000 cells refer to became as many texts, and a file of 160 KB took 2.4 GB. A phonetic reading
 * (`rPh`) is no part of the text.
 */
async function readSharedTexts(archive: Archive): Promise<string[]> {
  const texts: string[] = []
  let text = ''
  let isText = false
  let isPhonetic = false
  let length = 0
  const gather: Handlers = {
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
        const kept = storable(unescaped(text.slice(0, cellLimit)))
        length += kept.length
        if (texts.push(kept) > sharedTextLimit || length > sharedLengthLimit) throw tooMuchContent()
      }
    },
  }
  const limit = partLimits.shared
  for await (const _ of elements(await archive.read(sharedTexts, limit), gather, limit));
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
  const gather: Handlers = {
    opened(name, attributes) {
      if (name === 'row') {
        row = { number: Number(attributes.r ?? row.number + 1), cells: [] }
        if (!Number.isSafeInteger(row.number)) throw brokenFile()
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
  }
  for await (const _ of elements(stream, gather, partLimits.sheet)) {
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

/** Excel writes a character that XML cannot contain as _x000D_. */
const unescaped = (text: string) =>
  text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** PostgreSQL has neither NUL nor half of a surrogate pair, and _x0000_ and _xD83D_ mean just these. */
const storable = (text: string) => text.replaceAll('\u0000', invalidCharacter).toWellFormed().trim()

/** The place of B in B12, from 0; -1 where it names none. */
function columnOf(reference: string): number {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference)?.[0] ?? ''
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}
