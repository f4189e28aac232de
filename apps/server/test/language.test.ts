import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
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
