// The tables of docs/security.md on rows that end on devices: no kind of shared row is left out, and no test is invented.
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { platformWideFunctions, refusals } from '@voltkeep/contract'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/security.md'), 'utf8')
const section = page.slice(
  page.indexOf('## A shared row that ends on a device'),
  page.indexOf('## The operation log'),
)
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| row '))
  .map((line) => line.split('|').map((cell) => cell.trim()))
const named = rows.map(([, name = '']) => name)

/** What the table calls the rows that all organizations share, by the first word of their functions. */
const sharedRows: Record<string, readonly string[]> = {
  menu: ['role, menu'],
  role: ['role, menu'],
  enum: ['dictionary, type PARAM', 'dictionary, type APP_ADDR', 'alarm code: its level'],
  region: ['regions, operators, organizations'],
  equipType: ['type: its class', 'model: its first part'],
  model: ['model: its type', 'model: its number of compartments', 'model: its first part'],
  partType: ['part types, parts of a model, hardware versions'],
  hwVersion: ['part types, parts of a model, hardware versions'],
  readingCatalogue: ['reading catalogue'],
  pcb: ['board: its models'],
  firmware: ['package: its file', 'package: automatic upgrades', 'package: deletion'],
  softwareVersion: ['package: its file'],
  loglevel: ['log level'],
}

test('every row that all organizations share is told of', () => {
  const nouns = new Set(platformWideFunctions.map((code) => code.split(':')[0] ?? ''))
  expect(Object.keys(sharedRows).toSorted()).toEqual([...nouns].toSorted())
  for (const names of Object.values(sharedRows)) expect(named).toEqual(expect.arrayContaining([...names]))
})

test('so is every refusal of what reaches beyond who asks for it', () => {
  const beyond = Object.keys(refusals).filter((name) => name.endsWith('ReachesBeyond'))
  expect(beyond.length).toBeGreaterThan(10)
  expect(beyond.filter((name) => !section.includes(name))).toEqual([])
})

test('each test that the table names is there', () => {
  const present = new Set(
    globSync('{apps,packages}/*/{src,test}/**/*.test.{ts,tsx}', { cwd: root }).map((path) => basename(path)),
  )
  const told = [...section.matchAll(/`([\w.-]+\.test\.tsx?)`/g)].map(([, name = '']) => name)
  expect(told.length).toBeGreaterThan(30)
  expect(told.filter((name) => !present.has(name))).toEqual([])
})
