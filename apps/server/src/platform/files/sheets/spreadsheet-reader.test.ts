import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { invalidCharacter } from './cell-limits.ts'
import { readCsv } from './csv.ts'
import { type ReadRow, workbook } from './spreadsheet.ts'
import { readSpreadsheet } from './spreadsheet-reader.ts'
import { zip } from './zip.ts'

const directory = mkdtempSync(join(tmpdir(), 'voltkeep-read-'))
afterAll(() => rmSync(directory, { recursive: true }))

async function whole(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

async function read(bytes: Uint8Array): Promise<ReadRow[]> {
  const path = join(directory, 'sent')
  writeFileSync(path, bytes)
  const rows: ReadRow[] = []
  for await (const row of readSpreadsheet(path)) rows.push(row)
  return rows
}

/** A workbook as other programs write it, with these parts instead of ours. */
async function archive(parts: { sheet: string; shared?: string; more?: Record<string, string> }) {
  const files = {
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets><sheet name="一" sheetId="7" r:id="rId3"/><sheet name="二" sheetId="2" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Target="worksheets/other.xml"/><Relationship Id="rId3" Target="/xl/worksheets/first.xml"/></Relationships>`,
    'xl/worksheets/first.xml': parts.sheet,
    ...(parts.shared === undefined ? {} : { 'xl/sharedStrings.xml': parts.shared }),
    ...parts.more,
  }
  return whole(zip(Object.entries(files).map(([name, text]) => ({ name, content: [Buffer.from(text)] }))))
}
const sheetOf = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`

describe('of a workbook', () => {
  test('a written sheet is read back unchanged', async () => {
    const rows = [
      ['=1+1', 12],
      ['<甲> & 乙 _x0041_', 3.5],
      [null, 0],
    ] as const
    const bytes = await whole(
      workbook([
        {
          name: '设备',
          columns: [
            { title: '文', width: 9, cell: (row: (typeof rows)[number]) => row[0] },
            { title: '数', width: 9, cell: (row: (typeof rows)[number]) => row[1] },
          ],
          batches: () => [rows],
        },
      ]),
    )
    expect(await read(bytes)).toEqual([
      { number: 1, cells: ['文', '数'] },
      { number: 2, cells: ['=1+1', '12'] },
      { number: 3, cells: ['<甲> & 乙 _x0041_', '3.5'] },
      { number: 4, cells: [undefined, '0'] },
    ])
  })

  test('the first sheet is read, with shared and rich texts, row numbers and gaps', async () => {
    const bytes = await archive({
      shared:
        '<sst><si><t>编号</t></si><si><r><t>深</t></r><r><t>圳</t></r><rPh><t>shen</t></rPh></si></sst>',
      sheet: sheetOf(
        '<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="3"/><row r="5"><c r="AB5" t="s"><v>1</v></c></row>',
      ),
    })
    const [first, second] = await read(bytes)
    expect(first).toEqual({ number: 1, cells: ['编号'] })
    expect(second?.number).toBe(5)
    expect(second?.cells[27]).toBe('深圳')
  })

  test('formulas give their last results, and long numbers all their digits', async () => {
    const bytes = await archive({
      sheet: sheetOf(
        '<row><c t="str"><f>A2&amp;"1"</f><v>EC1</v></c><c><v>2.502000001E9</v></c><c t="b"><v>1</v></c></row>',
      ),
    })
    expect(await read(bytes)).toEqual([{ number: 1, cells: ['EC1', '2502000001', 'TRUE'] }])
  })

  test('characters that no database can store become U+FFFD', async () => {
    const bytes = await archive({
      shared: '<sst><si><t>_x0000_</t></si></sst>',
      sheet: sheetOf(
        '<row><c t="s"><v>0</v></c><c t="str"><v>a_x0000_b_xD83D_</v></c><c t="str"><v>_xD83D__xDE00_</v></c></row>',
      ),
    })
    expect(await read(bytes)).toEqual([{ number: 1, cells: ['\ufffd', 'a\ufffdb\ufffd', '😀'] }])
  })

  test('a text that many cells share is kept in memory once', async () => {
    const cells = '<c t="s"><v>0</v></c>'.repeat(190)
    const bytes = await archive({
      shared: `<sst><si><t>_x0000_${'中'.repeat(1_900)}</t></si></sst>`,
      sheet: sheetOf(`<row>${cells}</row>`.repeat(500)),
    })
    const before = process.memoryUsage().heapUsed
    const rows = await read(bytes)
    // With a string per cell it would be 360 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(120 * 1024 * 1024)
    expect(rows).toHaveLength(500)
    expect(rows[499]?.cells[189]).toBe(`${invalidCharacter}${'中'.repeat(1_900)}`)
  })

  test('declared entities are refused before they expand', async () => {
    const bytes = await archive({
      sheet: `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>${sheetOf('<row><c t="inlineStr"><is><t>&b;</t></is></c></row>')}`,
    })
    await expect(read(bytes)).rejects.toMatchObject({ refusal: 'badInput', message: /已损坏/ })
  })

  test('a part that decompresses to more than the limit is refused', async () => {
    const bytes = await whole(
      zip([
        {
          name: 'xl/workbook.xml',
          content: (function* () {
            for (let n = 0; n < 70; n += 1) yield Buffer.alloc(1024 * 1024, ' ')
          })(),
        },
      ]),
    )
    expect(bytes.length).toBeLessThan(200_000)
    await expect(read(bytes)).rejects.toMatchObject({ refusal: 'badInput', message: /内容过多/ })
  })

  test('one that declares a smaller size than it has ends there', async () => {
    const bytes = await archive({ sheet: sheetOf('<row><c t="str"><v>甲</v></c></row>'.repeat(2000)) })
    // The central directory declares the size of each part: make the sheet's a tenth.
    for (let at = bytes.indexOf('PK\u0001\u0002'); at !== -1; at = bytes.indexOf('PK\u0001\u0002', at + 4)) {
      bytes.writeUInt32LE(Math.ceil(bytes.readUInt32LE(at + 24) / 10), at + 24)
    }
    await expect(read(bytes)).rejects.toMatchObject({ refusal: 'badInput' })
  })

  test.each([
    ['half a file', async () => (await archive({ sheet: sheetOf('<row/>') })).subarray(0, 300), 'badInput'],
    ['XML that is none', async () => archive({ sheet: '<worksheet><row></worksheet>' }), 'badInput'],
    [
      'an archive that is no workbook',
      async () => whole(zip([{ name: 'a.txt', content: [] }])),
      'wrongMediaType',
    ],
    ['nothing', async () => Buffer.alloc(0), 'badInput'],
    ['a picture', async () => Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'wrongMediaType'],
    ['an old .xls', async () => Buffer.from('d0cf11e0a1b11ae10000', 'hex'), 'wrongMediaType'],
  ])('%s is refused with a message', async (_, make, refusal) => {
    await expect(read(await make())).rejects.toMatchObject({ refusal, message: /[\u4e00-\u9fff]/ })
  })
})

describe('of a CSV file', () => {
  const expected = [
    { number: 1, cells: ['编号', '名称'] },
    { number: 3, cells: ['EC1', '甲,"乙"\n丙'] },
  ]
  const text = '编号,名称\r\n\r\nEC1,"甲,""乙""\n丙"\r\n'

  test('UTF-8 with and without a byte order mark, and UTF-16, are read', async () => {
    expect(await read(Buffer.from(text))).toEqual(expected)
    expect(await read(Buffer.from(`\ufeff${text}`))).toEqual(expected)
    expect(await read(Buffer.from(`\ufeff${text}`, 'utf16le'))).toEqual(expected)
  })

  test('GBK, the encoding of Excel in China, is read', async () => {
    // 编号,名称
    expect(await read(Buffer.from('b1e0bac52cc3fbb3c60a454331', 'hex'))).toEqual([
      { number: 1, cells: ['编号', '名称'] },
      { number: 2, cells: ['EC1'] },
    ])
  })

  test('columns and text lengths are limited like those of a workbook', async () => {
    const [row] = await read(Buffer.from(`"${'x'.repeat(5_000)}",${'a,'.repeat(1_000)}`))
    expect(row?.cells).toHaveLength(200)
    expect(row?.cells[0]).toHaveLength(2_000)
  })

  test('other work proceeds while many rows are read', async () => {
    let turns = 0
    let isRead = false
    const takeTurn = () => {
      turns += 1
      if (!isRead) setImmediate(takeTurn)
    }
    setImmediate(takeTurn)
    const rows = readCsv(Buffer.from(`${'\n'.repeat(50_000)}a`), { columns: 9, cellLength: 9 })
    for await (const row of rows ?? []) expect(row).toEqual({ number: 50_001, cells: ['a'] })
    isRead = true
    expect(turns).toBeGreaterThanOrEqual(5)
  })

  test('tabs and semicolons separate cells as well', async () => {
    expect(await read(Buffer.from('a\tb\n1\t2'))).toEqual([
      { number: 1, cells: ['a', 'b'] },
      { number: 2, cells: ['1', '2'] },
    ])
  })
})
