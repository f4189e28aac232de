import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { listLogFiles, readLogFile, type WantedLines } from './log-files.ts'

const outside = mkdtempSync(join(tmpdir(), 'voltkeep-logs-'))
const directory = join(outside, 'logs')
mkdirSync(directory)
mkdirSync(join(directory, 'folder.log'))
writeFileSync(join(outside, 'secret.txt'), 'secret\n')
symlinkSync(join(outside, 'secret.txt'), join(directory, 'link.log'))
writeFileSync(join(directory, '.hidden'), 'x')
writeFileSync(join(directory, 'a.log'), '一\n二\n\n三\n')
const many = Array.from({ length: 30_000 }, (_, n) => `{"n":${n},"msg":"第 ${n} 行"}`)
writeFileSync(join(directory, 'many.log'), `${many.join('\n')}\n`)
afterAll(() => rmSync(outside, { recursive: true }))

const read = (name: string, wanted: Partial<WantedLines> = {}) =>
  readLogFile(directory, name, { lines: 100, ...wanted })

test('the list contains the files of the directory only', async () => {
  expect((await listLogFiles(directory)).map(({ name }) => name).sort()).toEqual(['a.log', 'many.log'])
})

test.each(['../secret.txt', 'link.log', 'folder.log', '.hidden', 'none.log', '/etc/passwd', 'a.log/', ''])(
  'the file %s cannot be read',
  async (name) => {
    expect(await read(name)).toBeNull()
  },
)

describe('a file is read from its end', () => {
  test('as a whole, without its empty lines', async () => {
    expect(await read('a.log')).toMatchObject({ lines: ['一', '二', '三'], before: null })
  })

  test('the last lines, and those above them, each once', async () => {
    const seen: string[] = []
    let before: number | undefined
    for (;;) {
      const piece = await read('many.log', { lines: 777, before })
      if (!piece) throw new Error('it is there')
      seen.unshift(...piece.lines)
      if (piece.before === null) break
      before = piece.before
    }
    expect(seen).toEqual(many)
  })

  test('filtered by a word, in any case', async () => {
    const piece = await read('many.log', { text: '"MSG":"第 1234' })
    expect(piece?.lines).toHaveLength(11)
    expect(piece?.lines[0]).toContain('第 1234 行')
  })

  test('with an endless line cut off, in bounded memory', async () => {
    writeFileSync(join(directory, 'long.log'), `before\n${'x'.repeat(3_000_000)}\nafter\n`)
    const piece = await read('long.log')
    expect(piece?.lines.map((line) => line.length)).toEqual([6, 16_385, 5])
  })

  test('in steps if it is huge: the answer says where to continue', async () => {
    const path = join(directory, 'huge.log')
    writeFileSync(path, 'first\n')
    truncateSync(path, 5_000_000_000)
    const piece = await read('huge.log', { text: 'first' })
    expect(piece).toMatchObject({ sizeBytes: 5_000_000_000, lines: [] })
    rmSync(path)
  })
})
