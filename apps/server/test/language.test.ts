import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from '@swc/core'
import { expect, test } from 'vitest'
import { languageOf } from '../../../scripts/language.mjs'

test('the terminal is spoken to in Chinese, also by a machine that names no language, else in English', () => {
  expect(languageOf({ LANG: 'zh_CN.UTF-8' })).toBe('zh')
  expect(languageOf({ LANG: 'zh-Hant_TW' })).toBe('zh')
  for (const none of ['', 'C', 'POSIX', 'C.UTF-8']) expect(languageOf({ LANG: none })).toBe('zh')
  expect(languageOf({})).toBe('zh')
  for (const other of ['en_US.UTF-8', 'en', 'de_DE@euro', 'ca_ES'])
    expect(languageOf({ LANG: other })).toBe('en')
})

test('LC_ALL counts before LC_MESSAGES, and that before LANG, unless it is empty', () => {
  expect(languageOf({ LC_ALL: 'en_GB', LC_MESSAGES: 'zh_CN', LANG: 'zh_CN' })).toBe('en')
  expect(languageOf({ LC_ALL: '', LC_MESSAGES: 'zh_CN', LANG: 'en_US' })).toBe('zh')
})

const demo = join(import.meta.dirname, '../../../scripts/demo.mjs')

test('npm run demo names the options that there are where one is unknown', () => {
  for (const [language, line] of [
    ['zh_CN.UTF-8', '启动参数 --foo 无效：可用的参数有 --help、--devices、'],
    ['en_US.UTF-8', 'The argument --foo is not valid. There are --help, --devices,'],
  ]) {
    const { status, stderr } = spawnSync(process.execPath, [demo, '--foo'], {
      env: { ...process.env, LC_ALL: language },
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(line ?? '')])
  }
})

test.each([
  ['npm run demo', demo],
  ['the simulator', join(import.meta.dirname, '../../simulator/src/main.ts')],
])('in English no Chinese is printed by the help of %s', (_, program) => {
  const help = execFileSync(process.execPath, [program, '--help'], {
    env: { ...process.env, LC_ALL: 'en_US.UTF-8' },
    encoding: 'utf8',
  })
  expect(help).toContain('--devices')
  expect(help).not.toMatch(/\p{Script=Han}/u)
})

const chinese = /[\p{Script=Han}，。：；（）、]/u
const levels = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])

/** A node of the syntax tree, as far as it is looked at here. */
interface Syntax {
  type?: string
  value?: unknown
  raw?: unknown
  key?: Syntax
  callee?: Syntax
  object?: Syntax
  property?: Syntax
  base?: Syntax
}

const isNode = (value: unknown): value is Syntax => typeof value === 'object' && value !== null
const partsOf = (node: Syntax): Syntax[] => Object.values(node).filter(isNode)
const isHalf = (node: Syntax, half: 'zh' | 'en') =>
  node.type === 'KeyValueProperty' && node.key?.value === half

/** The Chinese of literals below this node, but for the Chinese half of sentences. */
function chineseIn(node: Syntax): string[] {
  if (isHalf(node, 'zh')) return []
  const text = node.type === 'StringLiteral' ? node.value : node.type === 'TemplateElement' ? node.raw : ''
  if (typeof text === 'string' && chinese.test(text)) return [text]
  return partsOf(node).flatMap(chineseIn)
}

/** `log.warn(…)` and `running.log?.warn(…)`, complaints, refused starts, sentences. */
function goesToTerminal({ callee }: Syntax): boolean {
  if (callee?.type === 'Identifier')
    return ['spoken', 'createComplaints', 'StartupError'].includes(String(callee.value))
  const member = callee?.type === 'OptionalChainingExpression' ? callee.base : callee
  const of = member?.object?.property ?? member?.object
  return of?.value === 'log' && levels.has(String(member?.property?.value))
}

/** Of a source: what of it the terminal and the log would show in Chinese on an English machine. */
function onlyChinese(source: string): string[] {
  const found = (node: Syntax): string[] =>
    goesToTerminal(node) || isHalf(node, 'en') ? chineseIn(node) : partsOf(node).flatMap(found)
  return found(parseSync(source, { syntax: 'typescript', target: 'es2024' }) as Syntax)
}

test.each([
  "log.warn({ err }, '失败')",
  'request.log.error(`失败`)',
  "running.log?.info('失败' + code)",
  "createComplaints((_, count) => say(count, '失败'))",
  "throw new StartupError('失败')",
  "log.warn(spoken({ zh: '失败', en: 'failed，' }))",
  "const lines = { busy: { zh: '失败', en: '失败' } }",
])('a sentence of the log without English is found: %s', (source) => {
  expect(onlyChinese(source)).toHaveLength(1)
})

test('one with English is none, nor is what a page shows', () => {
  expect(onlyChinese("log.warn({ err }, spoken({ zh: '失败', en: 'failed' }))")).toEqual([])
  expect(onlyChinese("refuse({ message: '失败' })")).toEqual([])
})

test('what the server writes to its log, or refuses a start with, has English beside its Chinese', () => {
  const sources = join(import.meta.dirname, '../src')
  const files = globSync('**/*.ts', { cwd: sources }).filter((path) => !path.includes('.test.'))
  expect(files.length).toBeGreaterThan(100)
  const found = files.flatMap((path) =>
    onlyChinese(readFileSync(join(sources, path), 'utf8')).map((text) => `${path}: ${text}`),
  )
  expect(found).toEqual([])
})
