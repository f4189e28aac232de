import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { fileNameAt, refuseTooManyRows, type Sheet, spreadsheet } from './spreadsheet.ts'

type Row = [string | null, number]
const sheet: Sheet<Row> = {
  name: '告警',
  columns: [
    { title: '名称', width: 20, cell: ([name]) => name },
    { title: '值', width: 10, cell: ([, value]) => value },
  ],
}

async function collected(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const bytes = (rows: Row[]) =>
  collected(
    spreadsheet(sheet, async function* () {
      yield rows
    }),
  )

/** The files of the archive by its central directory, as any reader finds them. */
function unzip(archive: Buffer): Map<string, string> {
  const files = new Map<string, string>()
  const end = archive.length - 22
  let at = archive.readUInt32LE(end + 16)
  for (let n = archive.readUInt16LE(end + 10); n > 0; n -= 1) {
    const nameLength = archive.readUInt16LE(at + 28)
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    const start = archive.readUInt32LE(at + 42) + 30 + nameLength
    const packed = archive.subarray(start, start + archive.readUInt32LE(at + 20))
    files.set(name, inflateRawSync(packed).toString())
    at += 46 + nameLength
  }
  return files
}

const sheetOf = async (rows: Row[]) => unzip(await bytes(rows)).get('xl/worksheets/sheet1.xml') ?? ''

describe('a spreadsheet', () => {
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-sheet-'))
  afterAll(() => rmSync(directory, { recursive: true }))

  test('is a valid archive for another program', async () => {
    const path = join(directory, 'a.xlsx')
    writeFileSync(path, await bytes([['甲', 1]]))
    const listing = execFileSync('python3', [
      '-c',
      `import zipfile,sys;z=zipfile.ZipFile(sys.argv[1]);assert z.testzip() is None;print(*z.namelist())`,
      path,
    ])
    expect(listing.toString()).toContain('xl/worksheets/sheet1.xml')
  })

  test('has its titles in a frozen row, then the rows', async () => {
    const xml = await sheetOf([['过温', 5]])
    expect(xml).toContain('state="frozen"')
    expect(xml).toMatch(/名称.*值.*过温.*<c r="B2"><v>5<\/v><\/c>/s)
  })

  test('writes a time as a date, which shows the server’s local time', async () => {
    const files = unzip(
      await collected(
        spreadsheet<Date>(
          { name: '时间', columns: [{ title: '时间', width: 20, cell: (at) => at }] },
          async function* () {
            yield [new Date(2026, 10, 20, 9, 30, 5, 700), new Date(1970, 0, 1)]
          },
        ),
      ),
    )
    const cells = [...(files.get('xl/worksheets/sheet1.xml') ?? '').matchAll(/<c r="A\d" s="4"><v>([^<]*)</g)]
    const [first, second] = cells.map(([, value]) => Number(value))
    const day = (Date.UTC(2026, 10, 20) - Date.UTC(1899, 11, 30)) / 86_400_000
    expect(Math.round(((first ?? 0) - day) * 86_400)).toBe(9 * 3600 + 30 * 60 + 5)
    expect(second).toBe(25_569)
    const styles = files.get('xl/styles.xml') ?? ''
    expect(styles).toContain('formatCode="yyyy\\-mm\\-dd hh:mm:ss"')
    expect(styles.match(/<cellXfs.*<\/cellXfs>/s)?.[0].match(/<xf[ /]/g)).toHaveLength(5)
  })

  test('writes a text that begins like a formula as a quoted text', async () => {
    const xml = await sheetOf([['=1+1', 1]])
    expect(xml).toContain('<c r="A2" t="inlineStr" s="2"><is><t>=1+1</t>')
    expect(xml).not.toContain('<f>')
  })

  test('escapes markup and drops what XML cannot contain', async () => {
    const xml = await sheetOf([['<a> & \u0000\u0007b _x0041_ \ud800', 1]])
    expect(xml).toContain('&lt;a&gt; &amp; b _x005F_x0041_ \ufffd')
  })

  test('keeps spaces at the ends of a text', async () => {
    const xml = await sheetOf([[' 甲 ', 1]])
    expect(xml).toContain('<t xml:space="preserve"> 甲 </t>')
  })

  test('keeps all digits of numbers that are too long for a cell', async () => {
    const xml = await sheetOf([[null, Number.MAX_SAFE_INTEGER]])
    expect(xml).toContain('>9007199254740991</t>')
  })

  test('ends its source when its reader disconnects', async () => {
    const ended = vi.fn()
    const body = spreadsheet(sheet, async function* () {
      try {
        for (;;) yield Array.from({ length: 1000 }, (): Row => [String(Math.random()), 1])
      } finally {
        ended()
      }
    })
    let size = 0
    for await (const chunk of body) {
      size += chunk.length
      if (size > 100_000) break
    }
    expect(ended).toHaveBeenCalledOnce()
  })

  test('passes on errors of its rows', async () => {
    const body = spreadsheet(sheet, async function* () {
      yield [['甲', 1] as Row]
      throw new Error('the database is away')
    })
    const read = async () => {
      for await (const _ of body);
    }
    await expect(read()).rejects.toThrow('the database is away')
  })
})

test('more rows than Excel allows are a refusal', () => {
  expect(() => refuseTooManyRows(1_048_575)).not.toThrow()
  expect(() => refuseTooManyRows(1_048_576)).toThrow('超过 Excel 上限')
})

test('the file name contains the subject and the time', () => {
  expect(fileNameAt('历史告警', new Date(2026, 10, 20, 9, 30, 5))).toBe('历史告警_20261120093005.xlsx')
})
