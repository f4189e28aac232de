import { formatDateTime } from '@voltkeep/contract'
import { refuseInput } from './refusal.ts'
import { type ZipEntry, zip } from './zip.ts'

// An own writer of the few parts of Office Open XML that one sheet needs. The libraries that write .xlsx
// are either no longer kept up or build the whole workbook in memory.

export type Cell = string | number | null

export interface Sheet<Row> {
  name: string
  columns: {
    title: string
    /** In characters. */
    width: number
    cell: (row: Row) => Cell
  }[]
}

/** Excel's last row is 1,048,576; one is the header's. */
export const rowLimit = 1_048_575

/** To be asked before the first byte is sent: then the answer is still an error and not a broken file. */
export function refuseTooManyRows(count: number): void {
  if (count > rowLimit) {
    refuseInput({
      field: '',
      message: `共${count}行，超过Excel上限${rowLimit}行，请缩小查询范围后再导出`,
    })
  }
}

/** `历史告警_20261120093005.xlsx`, in the server's zone. */
export const fileNameAt = (title: string, at: Date) =>
  `${title}_${formatDateTime(at).replace(/\D/g, '')}.xlsx`

/** An .xlsx as a stream; rows come in batches and are gone from memory when they are written. */
export function spreadsheet<Row>(
  sheet: Sheet<Row>,
  batches: () => AsyncIterable<readonly Row[]>,
): AsyncGenerator<Uint8Array> {
  const text = (name: string, xml: string): ZipEntry => ({ name, content: [Buffer.from(xml)] })
  return zip([
    text('[Content_Types].xml', contentTypes),
    text('_rels/.rels', packageRelations),
    text('xl/workbook.xml', workbook(sheet.name)),
    text('xl/_rels/workbook.xml.rels', workbookRelations),
    text('xl/styles.xml', styles),
    { name: 'xl/worksheets/sheet1.xml', content: worksheet(sheet, batches) },
  ])
}

async function* worksheet<Row>(
  { columns }: Sheet<Row>,
  batches: () => AsyncIterable<readonly Row[]>,
): AsyncGenerator<Buffer> {
  const widths = columns.map(
    ({ width }, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  )
  const titles = columns.map(({ title }) => cellXml(title, styleIndex.header)).join('')
  yield Buffer.from(
    `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">` +
      '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
      `<cols>${widths.join('')}</cols><sheetData><row>${titles}</row>`,
  )
  let written = 0
  for await (const rows of batches()) {
    // More came in since they were counted: those stay out, and the file stays readable.
    const fitting = rows.slice(0, rowLimit - written)
    written += fitting.length
    yield Buffer.from(
      fitting.map((row) => `<row>${columns.map(({ cell }) => cellXml(cell(row))).join('')}</row>`).join(''),
    )
    if (written === rowLimit) break
  }
  yield Buffer.from('</sheetData></worksheet>')
}

/** Excel keeps 15 digits of a number: longer ones go as text. */
const exactLimit = 999_999_999_999_999
const cellTextLimit = 32_767

function cellXml(value: Cell, style?: number): string {
  if (value === null || value === '') return '<c/>'
  if (typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= exactLimit) {
    return `<c><v>${value}</v></c>`
  }
  const text = String(value)
  const index = style ?? (/^[=+\-@\t\r]/.test(text) ? styleIndex.quoted : undefined)
  return `<c t="inlineStr"${index === undefined ? '' : ` s="${index}"`}><is><t xml:space="preserve">${escaped(text)}</t></is></c>`
}

/** What XML 1.0 does not know at all: most control characters, and halves of surrogate pairs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

function escaped(text: string): string {
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

const contentTypes = `${declaration}<Types xmlns="${packaging}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${mime}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${mime}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${mime}.styles+xml"/></Types>`

const packageRelations = `${declaration}<Relationships xmlns="${packaging}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`

const workbookRelations = `${declaration}<Relationships xmlns="${packaging}/relationships"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relations}/styles" Target="styles.xml"/></Relationships>`

const workbook = (name: string) =>
  `${declaration}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="${escaped(name).replaceAll('"', '&quot;')}" sheetId="1" r:id="rId1"/></sheets></workbook>`

/**
 * `quoted` is Excel's leading apostrophe: a text that begins like a formula stays a text, also when
 * somebody edits the cell or saves the sheet in another format.
 */
const styleIndex = { header: 1, quoted: 2 }
const styles = `${declaration}<styleSheet xmlns="${main}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="49" quotePrefix="1" applyNumberFormat="1"/></cellXfs></styleSheet>`
