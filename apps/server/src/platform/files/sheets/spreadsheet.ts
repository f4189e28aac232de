// An own writer of the few parts of Office Open XML that one sheet needs. The libraries that write .xlsx
// are either no longer kept up or build the whole workbook in memory.
import { formatDateTime, type Language } from '@voltkeep/contract'
import { refuseInput } from '../../calls/refusal.ts'
import { languageNow, said, speaking } from '../../process/language/speech.ts'
import { type ZipEntry, zip } from './zip.ts'

/** A moment is written as Excel's own, in the server's zone, so that it can be sorted, filtered and reckoned with. */
export type Cell = string | number | Date | null

export interface SheetColumn<Row> {
  title: string
  /** In characters. */
  width: number
  cell: (row: Row) => Cell
}

export interface Sheet<Row> {
  name: string
  columns: SheetColumn<Row>[]
}

/** A row of a sheet that somebody sent: what stands in its cells, by their place from 0. */
export interface ReadRow {
  /** As the sheet numbers it, from 1. */
  number: number
  cells: (string | undefined)[]
}

/** Excel's last row is 1,048,576; one is the header's. */
export const rowLimit = 1_048_575

/** To be asked before the first byte is sent: then the answer is still an error and not a broken file. */
export function refuseTooManyRows(count: number): void {
  if (count > rowLimit) {
    refuseInput({
      field: '',
      message: `共 ${count} 行，超过 Excel 上限 ${rowLimit} 行，请缩小查询范围后再导出`,
    })
  }
}

/** `历史告警_20261120093005.xlsx`, in the server's zone. */
export const fileNameAt = (title: string, at: Date) =>
  `${said(title)}_${formatDateTime(at).replace(/\D/g, '')}.xlsx`

/** A sheet with its rows, which come in batches and are gone from memory when they are written. */
export interface FilledSheet<Row> extends Sheet<Row> {
  batches: () => AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>
  /** Cells below the titles that offer a list to choose from, by the column's place from 0. */
  choices?: { column: number; from: CellRange; rows: number; prompt?: string; isStrict?: boolean }[]
  /** Columns, from 0, whose cells take what is typed as text: a long code of digits stays as it is. */
  textColumns?: readonly number[]
}

/** Cells of a column of another sheet, by its name; rows count from 1. */
export interface CellRange {
  sheet: string
  column: number
  firstRow: number
  lastRow: number
}

/** An .xlsx of one sheet as a stream. */
export function spreadsheet<Row>(
  sheet: Sheet<Row>,
  batches: () => AsyncIterable<readonly Row[]>,
): AsyncGenerator<Uint8Array> {
  return workbook([{ ...sheet, batches }])
}

/** An .xlsx of several sheets as a stream. */
// biome-ignore lint/suspicious/noExplicitAny: each sheet has rows of its own kind.
export function workbook(sheets: readonly FilledSheet<any>[]): AsyncGenerator<Uint8Array> {
  const text = (name: string, xml: string): ZipEntry => ({ name, content: [Buffer.from(xml)] })
  return zip([
    text('[Content_Types].xml', contentTypes(sheets.length)),
    text('_rels/.rels', packageRelations),
    text('xl/workbook.xml', workbookXml(sheets.map(({ name }) => said(name)))),
    text('xl/_rels/workbook.xml.rels', workbookRelations(sheets.length)),
    text('xl/styles.xml', styles),
    ...sheets.map((sheet, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content: inLanguage(languageNow(), worksheet(sheet)),
    })),
  ])
}

/** Rows are made while the file is sent, when nobody knows any more whose call it was. */
async function* inLanguage<Part>(language: Language, parts: AsyncGenerator<Part>): AsyncGenerator<Part> {
  try {
    for (;;) {
      const next = await speaking(language, () => parts.next())
      if (next.done) return
      yield next.value
    }
  } finally {
    await parts.return(undefined)
  }
}

async function* worksheet<Row>({
  columns,
  batches,
  choices = [],
  textColumns = [],
}: FilledSheet<Row>): AsyncGenerator<Buffer> {
  const widths = columns.map(({ width }, index) => {
    const style = textColumns.includes(index) ? ` style="${styleIndex.text}"` : ''
    return `<col min="${index + 1}" max="${index + 1}" width="${width}"${style} customWidth="1"/>`
  })
  const names = columns.map((_, index) => columnName(index))
  const titles = columns.map(({ title }, index) =>
    cellXml(`${names[index]}1`, said(title), styleIndex.header),
  )
  yield Buffer.from(
    `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">` +
      '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
      `<cols>${widths.join('')}</cols><sheetData><row r="1">${titles.join('')}</row>`,
  )
  let written = 0
  for await (const rows of batches()) {
    // Rows that were added after the count stay out, and the file stays readable.
    const fitting = rows.slice(0, rowLimit - written)
    let xml = ''
    for (const row of fitting) {
      written += 1
      const number = written + 1
      // Rows and cells name their places, which the format does not ask for and some readers do.
      xml += `<row r="${number}">${columns.map(({ cell }, index) => cellXml(`${names[index]}${number}`, cell(row))).join('')}</row>`
    }
    yield Buffer.from(xml)
    if (written === rowLimit) break
  }
  yield Buffer.from(`</sheetData>${validations(choices)}</worksheet>`)
}

/** A to Z, AA and on, of a column's place from 0. */
function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26))
  return index < 26 ? letter : `${columnName(Math.floor(index / 26) - 1)}${letter}`
}

function validations(choices: NonNullable<FilledSheet<unknown>['choices']>): string {
  if (choices.length === 0) return ''
  const lists = choices.map(({ column, from, rows, prompt, isStrict = false }) => {
    const name = columnName(column)
    const source = columnName(from.column)
    const formula = `'${said(from.sheet)}'!$${source}$${from.firstRow}:$${source}$${from.lastRow}`
    const shown = prompt === undefined ? '' : ` showInputMessage="1" prompt="${attribute(said(prompt))}"`
    // Where codes are taken as well as names, the list helps and does not forbid.
    const strict = isStrict ? ' showErrorMessage="1"' : ''
    return `<dataValidation type="list" allowBlank="1"${shown}${strict} sqref="${name}2:${name}${rows + 1}"><formula1>${escaped(formula)}</formula1></dataValidation>`
  })
  return `<dataValidations count="${lists.length}">${lists.join('')}</dataValidations>`
}

/** Excel keeps 15 digits of a number: longer ones go as text. */
const exactLimit = 999_999_999_999_999
const cellTextLimit = 32_767

function cellXml(place: string, value: Cell, style?: number): string {
  if (value === null || value === '') return ''
  if (typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= exactLimit) {
    return `<c r="${place}"><v>${value}</v></c>`
  }
  if (value instanceof Date) {
    return `<c r="${place}" s="${styleIndex.moment}"><v>${serialOf(value)}</v></c>`
  }
  const text = String(value)
  const index = style ?? (/^[=+\-@\t\r]/.test(text) ? styleIndex.quoted : undefined)
  return `<c r="${place}" t="inlineStr"${index === undefined ? '' : ` s="${index}"`}><is><t${/^\s|\s$|[\r\n]/.test(text) ? ' xml:space="preserve"' : ''}>${escaped(text)}</t></is></c>`
}

const dayMs = 86_400_000
/** Days from Excel's day 0 to 1 January 1970. */
const epochDay = 25_569

/** A moment's wall clock in the server's zone as Excel counts: days, and the part of the day that has passed. */
function serialOf(at: Date): number {
  const wallMs = at.getTime() - at.getTimezoneOffset() * 60_000
  return epochDay + Math.floor(wallMs / 1000) / (dayMs / 1000)
}

/** What XML 1.0 does not know at all: most control characters, and halves of surrogate pairs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** Any of what is looked at below: most texts have none of it, and each step costs a copy. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const remarkable = /[&<>_\u0000-\u001f\ud800-\udfff\ufffe\uffff]/

function escaped(text: string): string {
  if (text.length <= cellTextLimit && !remarkable.test(text)) return text
  return (
    text
      .slice(0, cellTextLimit)
      .toWellFormed()
      .replace(unwritable, '')
      // Excel reads _x000D_ as a character: what merely looks like it gets its underscore escaped.
      .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
  )
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packaging = 'http://schemas.openxmlformats.org/package/2006'
const mime = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const numbered = (count: number, part: (n: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index + 1)).join('')

const attribute = (text: string) => escaped(text).replaceAll('"', '&quot;')

const contentTypes = (sheetCount: number) =>
  `${declaration}<Types xmlns="${packaging}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${mime}.sheet.main+xml"/>${numbered(sheetCount, (n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${mime}.worksheet+xml"/>`)}<Override PartName="/xl/styles.xml" ContentType="${mime}.styles+xml"/></Types>`

const packageRelations = `${declaration}<Relationships xmlns="${packaging}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`

const workbookRelations = (sheetCount: number) =>
  `${declaration}<Relationships xmlns="${packaging}/relationships">${numbered(sheetCount, (n) => `<Relationship Id="rId${n}" Type="${relations}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}<Relationship Id="rId${sheetCount + 1}" Type="${relations}/styles" Target="styles.xml"/></Relationships>`

const workbookXml = (names: readonly string[]) =>
  `${declaration}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${numbered(names.length, (n) => `<sheet name="${attribute(names[n - 1] as string)}" sheetId="${n}" r:id="rId${n}"/>`)}</sheets></workbook>`

/**
 * `quoted` is Excel's leading apostrophe: a text that begins like a formula stays a text, also when
 * somebody edits the cell or saves the sheet in another format. `text` is Excel's format of that name, `moment` a date
 * with its time.
 */
const styleIndex = { header: 1, quoted: 2, text: 3, moment: 4 }
const styles = `${declaration}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="5"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="49" quotePrefix="1" applyNumberFormat="1"/><xf numFmtId="49" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`
