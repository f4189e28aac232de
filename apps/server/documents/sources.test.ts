import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const folders = '{apps,packages,e2e,bench,scripts}'
const longFile = 100

const isForeign = (path: string) => /(^|\/)(node_modules|dist|images)(\/|$)/.test(path)
const filesOf = (pattern: string) => globSync(pattern, { cwd: root, exclude: isForeign })

/** The name of a test file says what it is for, and declarations belong to the file that they declare. */
const isNamedByItself = (path: string) => /\.(test|spec)\.tsx?$|\.d\.m?ts$/.test(path)

test('a file of more than 100 lines begins with what it is for', () => {
  const sources = filesOf(`${folders}/**/*.{ts,tsx,mjs}`).filter((path) => !isNamedByItself(path))
  expect(sources.length).toBeGreaterThan(500)
  const headless = sources.filter((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return text.split('\n').length > longFile + 1 && !/^(#!.*\n)?\s*\/[/*]/.test(text)
  })
  expect(headless).toEqual([])
})

test('every file that the documents name is there', () => {
  const documents = ['README.md', ...filesOf('docs/**/*.md')]
  const named = documents.flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8')
    const quoted = text.matchAll(/`((?:apps|packages|e2e|bench|scripts|docs)\/[\w./@-]+)`/g)
    const linked = text.matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)
    return [
      ...[...quoted].map(([, path = '']) => ({ document, path, file: join(root, path) })),
      ...[...linked].map(([, path = '']) => ({ document, path, file: join(root, dirname(document), path) })),
    ]
  })
  expect(named.length).toBeGreaterThan(100)
  expect(named.filter(({ file }) => !existsSync(file))).toEqual([])
})
