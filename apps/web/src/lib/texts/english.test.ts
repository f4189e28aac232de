import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { englishOf } from '../../../shell/english.ts'
import { counted, pluralOf } from './english.ts'

const web = join(import.meta.dirname, '../..')
/** It has all of its languages inside: it is read by visitors, whose language their browser says. */
const ofAllLanguages = ['features/site/releases.texts.ts']
const tables = globSync(['**/*.texts.ts', 'lib/texts/zh-CN.ts'], { cwd: web }).filter(
  (path) => !ofAllLanguages.includes(path),
)

const shapeOf = (value: unknown): unknown =>
  value === null || typeof value !== 'object'
    ? typeof value
    : Object.fromEntries(
        Object.entries(value)
          .map(([key, below]): [string, unknown] => [key, shapeOf(below)])
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      )

test.each(tables)('%s has its English beside it, of the same shape', async (path) => {
  const place = englishOf(join(web, path))
  expect(place, 'there is no English table').toBeDefined()
  const [chinese, english] = await Promise.all([import(join(web, path)), import(place ?? '')])
  expect(shapeOf(english)).toMatchObject(shapeOf(chinese) as object)
  expect(readFileSync(place ?? '', 'utf8')).not.toMatch(/\p{Script=Han}/u)
})

test('what is counted is one or many', () => {
  expect(counted('1', 'battery')).toBe('1 battery')
  expect(counted('1,024', 'battery')).toBe('1,024 batteries')
  expect(['batch', 'day', 'class', 'entry'].map(pluralOf)).toEqual(['batches', 'days', 'classes', 'entries'])
})
