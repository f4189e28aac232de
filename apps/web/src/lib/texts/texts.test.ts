import { globSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { expect, test } from 'vitest'

const web = join(import.meta.dirname, '../..')
const contract = join(web, '../../../packages/contract/src')
const read = (folder: string) =>
  globSync('**/*.{ts,tsx}', { cwd: folder })
    .filter((path) => !path.includes('.test.'))
    .map((path) => ({ path: join(folder, path), source: readFileSync(join(folder, path), 'utf8') }))
const isTexts = (path: string) => path.endsWith('.texts.ts') || path.endsWith('zh-CN.ts')
const isShared = (path: string) => path.startsWith(join(web, 'ui')) || path.startsWith(join(web, 'lib'))
/** A name that a programmer gave; codes of devices, jobs and the like are looked up by what the server says. */
const isName = (key: string) => /^[a-z][a-zA-Z]*$/.test(key)
/** Of a file of texts: what it says of others, without its own keys. */
const withoutKeys = (source: string) => source.replace(/^\s*\w+:/gm, '')

/** The names in a tree of texts, each with its way there. */
function* namesIn(value: unknown, way: string): Generator<[name: string, way: string]> {
  if (value === null || typeof value !== 'object') return
  for (const [key, below] of Object.entries(value)) {
    if (isName(key)) yield [key, `${way}.${key}`]
    yield* namesIn(below, `${way}.${key}`)
  }
}

test('no text is kept that nobody reads', async () => {
  const files = read(web)
  const codes = read(contract).map(({ source }) => source)
  const dead: string[] = []
  for (const { path } of files.filter((file) => isTexts(file.path))) {
    const readers = files.filter(
      (file) => isShared(path) || isShared(file.path) || file.path.startsWith(dirname(path) + sep),
    )
    const sources = readers.map((file) => (isTexts(file.path) ? withoutKeys(file.source) : file.source))
    const words = new Set([...codes, ...sources].join('\n').match(/\w+/g))
    for (const [name, texts] of Object.entries((await import(path)) as object)) {
      for (const [key, way] of namesIn(texts, name)) if (!words.has(key)) dead.push(way)
    }
  }
  expect(dead).toEqual([])
})
