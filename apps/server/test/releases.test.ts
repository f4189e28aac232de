import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }

test('every part of the product has the version of the whole, and asks for the others by it', () => {
  const parts = globSync(['{apps,packages}/*/package.json', 'e2e/package.json', 'bench/package.json'], {
    cwd: root,
  })
  expect(parts.length).toBeGreaterThanOrEqual(6)
  const versions = parts.flatMap((path) => {
    const { version: own, dependencies, devDependencies } = JSON.parse(read(path))
    const others = Object.entries({ ...dependencies, ...devDependencies })
      .filter(([name]) => name.startsWith('@voltkeep/'))
      .map(([name, asked]) => [`${path} ${name}`, asked])
    return [[path, own], ...others]
  })
  expect(versions.filter(([, own]) => own !== version)).toEqual([])
})

test('the changelog begins with this version, in both languages, each with what an operator must do first', () => {
  const [, newest = ''] = read('CHANGELOG.md').split(/^## /m)
  const [heading = ''] = newest.split('\n')
  expect(heading.replace(/\(\d{4}-\d{2}-\d{2}\)$/, '(date)')).toBe(`${version} (date)`)
  const [, english = '', chinese = ''] = newest.split(/^### (?:English|中文)$/m)
  expect(/\*\*(.+)\*\*/.exec(english)?.[1]).toBe('What you must do')
  expect(/\*\*(.+)\*\*/.exec(chinese)?.[1]).toBe('必须做的事')
  // Both say the same things.
  const itemsOf = (text: string) => text.match(/^- /gm)?.length
  expect(itemsOf(chinese)).toBe(itemsOf(english))
})
