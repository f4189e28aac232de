// Malicious spreadsheets: small files that unpack to much, nest deeply, or lie about their size. The tests and the
// attack bench use the same ones.
import { deflateRawSync } from 'node:zlib'
import { type ZipEntry, zip } from '../src/platform/files/sheets/zip.ts'

const megabyte = 1024 * 1024

export interface HostileSheet {
  name: string
  make(): Promise<Buffer>
  /** The expected refusal. */
  message: RegExp
}

const tooMuch = /文件内容过多，请拆分后再上传/
const odd = /文件结构异常/
const broken = /文件已损坏，或不是有效的 Excel 文件/

/** A repeated text in pieces, so that it is never in memory as a whole. */
function* repeated(text: string, sizeBytes: number): Generator<Buffer> {
  const piece = Buffer.from(text.repeat(Math.ceil(megabyte / text.length)))
  for (let at = 0; at < sizeBytes; at += piece.length) yield piece
}

function* around(start: string, inner: Iterable<Buffer>, end: string): Generator<Buffer> {
  yield Buffer.from(start)
  yield* inner
  yield Buffer.from(end)
}

const usual: Record<string, string> = {
  'xl/workbook.xml':
    '<workbook xmlns:r="r"><sheets><sheet name="一" sheetId="1" r:id="rId1"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels':
    '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
  'xl/worksheets/sheet1.xml':
    '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData></worksheet>',
}

type Content = string | Iterable<Buffer>

/** A workbook in which these parts replace or complete the usual ones. */
async function workbookOf(parts: Record<string, Content>): Promise<Buffer> {
  const entries = Object.entries({ ...usual, ...parts }).map(
    ([name, content]): ZipEntry => ({
      name,
      content: typeof content === 'string' ? [Buffer.from(content)] : content,
    }),
  )
  const chunks: Uint8Array[] = []
  for await (const chunk of zip(entries)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const sheet = (content: Content) => () => workbookOf({ 'xl/worksheets/sheet1.xml': content })
const workbook = (content: Content) => () => workbookOf({ 'xl/workbook.xml': content })
const shared = (content: Content) => () => workbookOf({ 'xl/sharedStrings.xml': content })
const inRow = (cells: Iterable<Buffer>) =>
  around('<worksheet><sheetData><row>', cells, '</row></sheetData></worksheet>')

/** Rewrites the size of every part in the central directory. */
function claiming(archive: Buffer, sizeBytes: (real: number) => number): Buffer {
  for (let at = archive.indexOf('PK\u0001\u0002'); at !== -1; at = archive.indexOf('PK\u0001\u0002', at + 4))
    archive.writeUInt32LE(sizeBytes(archive.readUInt32LE(at + 24)), at + 24)
  return archive
}

function* rows(count: number, row: (number: number) => string): Generator<Buffer> {
  let text = ''
  for (let number = 1; number <= count; number += 1) {
    text += row(number)
    if (text.length > megabyte || number === count) {
      yield Buffer.from(text)
      text = ''
    }
  }
}

/** Each is refused for its content, before the limits of memory and time apply. */
export const hostileSheets: HostileSheet[] = [
  {
    name: 'a workbook of 64 MB of <a>, as found: 63 KB that took 2.2 GB',
    make: workbook(repeated('<a>', 64 * megabyte)),
    message: tooMuch,
  },
  { name: 'a sheet of 60 MB of <a>', make: sheet(repeated('<a>', 60 * megabyte)), message: odd },
  { name: 'XML a thousand levels deep', make: sheet(`${'<a>'.repeat(1_000)}`), message: odd },
  {
    name: 'a tag name of 60 MB',
    make: sheet(around('<', repeated('a', 60 * megabyte), '/>')),
    message: odd,
  },
  {
    name: 'a comment of 60 MB',
    make: sheet(around('<!--', repeated('a', 60 * megabyte), '-->')),
    message: odd,
  },
  {
    name: 'an instruction of 60 MB',
    make: sheet(around('<?a ', repeated('a', 60 * megabyte), '?>')),
    message: odd,
  },
  {
    name: 'the name of an instruction of 60 MB',
    make: sheet(around('<?', repeated('a', 60 * megabyte), '?>')),
    message: odd,
  },
  {
    name: '20 MB of attributes',
    make: sheet(
      around(
        '<worksheet ',
        rows(700_000, (n) => `a${n}="${n}" `),
        '/>',
      ),
    ),
    message: odd,
  },
  {
    name: 'an attribute of 20 MB',
    make: sheet(around('<worksheet a="', repeated('a', 20 * megabyte), '"/>')),
    message: odd,
  },
  {
    name: 'the name of an attribute of 20 MB',
    make: sheet(around('<worksheet ', repeated('a', 20 * megabyte), '="1"/>')),
    message: odd,
  },
  {
    name: 'an entity name of 20 MB',
    make: sheet(around('<worksheet>&', repeated('a', 20 * megabyte), ';</worksheet>')),
    message: odd,
  },
  {
    name: 'a document type of 20 MB',
    make: sheet(around('<!DOCTYPE a [', repeated(' ', 20 * megabyte), ']><a/>')),
    message: broken,
  },
  {
    name: 'many elements',
    make: sheet(around('<worksheet>', repeated('<a/>', 60 * megabyte), '</worksheet>')),
    message: tooMuch,
  },
  {
    name: 'shared texts that unpack to 60 MB',
    make: shared(around('<sst>', repeated('<si><t>甲</t></si>', 60 * megabyte), '</sst>')),
    message: tooMuch,
  },
  {
    name: 'two million shared texts',
    make: shared(around('<sst>', repeated('<si/>', 30 * megabyte), '</sst>')),
    message: tooMuch,
  },
  {
    name: 'shared texts of 28 million characters',
    make: shared(around('<sst>', repeated(`<si><t>${'ab'.repeat(1_000)}</t></si>`, 28 * megabyte), '</sst>')),
    message: tooMuch,
  },
  {
    name: 'one text in 600,000 cells',
    make: () =>
      workbookOf({
        'xl/sharedStrings.xml': `<sst><si><t>${'甲'.repeat(2_000)}</t></si></sst>`,
        'xl/worksheets/sheet1.xml': around(
          '<worksheet><sheetData>',
          rows(3_000, (n) => `<row r="${n}">${'<c t="s"><v>0</v></c>'.repeat(200)}</row>`),
          '</sheetData></worksheet>',
        ),
      }),
    message: tooMuch,
  },
  {
    name: 'a declared entity that grows',
    make: sheet(
      '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><worksheet><sheetData><row><c t="inlineStr"><is><t>&b;</t></is></c></row></sheetData></worksheet>',
    ),
    message: broken,
  },
  {
    name: 'an external entity that names a file of the server',
    make: sheet(
      '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><worksheet><sheetData><row><c t="inlineStr"><is><t>&a;</t></is></c></row></sheetData></worksheet>',
    ),
    message: broken,
  },
  {
    name: 'parts that claim to be small',
    make: async () =>
      claiming(await sheet(inRow(repeated('<c t="str"><v>甲</v></c>', 4 * megabyte)))(), () => 1_000),
    message: broken,
  },
  {
    name: 'parts that claim to be 4 GB',
    make: async () => claiming(await workbookOf({}), () => 0xffff_fff0),
    message: tooMuch,
  },
  {
    name: 'five thousand parts',
    make: () =>
      workbookOf(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`xl/media/${n}.png`, '']))),
    message: tooMuch,
  },
  {
    name: 'archives within archives',
    make: async () => {
      let inner: Buffer = deflateRawSync(Buffer.alloc(megabyte))
      for (let level = 0; level < 5; level += 1) {
        inner = await workbookOf({ 'xl/worksheets/sheet1.xml': [inner] })
      }
      return inner
    },
    message: broken,
  },
]

/** A sheet of the maximum length with a cell in every row: more devices than one import accepts. */
export const longestSheet = sheet(
  around(
    '<worksheet><sheetData>',
    rows(1_048_576, (n) => `<row r="${n}"><c t="str"><v>甲${n}</v></c></row>`),
    '</sheetData></worksheet>',
  ),
)
