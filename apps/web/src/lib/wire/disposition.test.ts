import { expect, test } from 'vitest'
import { disposedName } from './disposition.ts'

test('the UTF-8 name goes before the plain one', () => {
  expect(disposedName(`attachment; filename="log.zip"; filename*=UTF-8''%E6%97%A5%E5%BF%97.zip`)).toBe(
    '日志.zip',
  )
})

test('plain and quoted names are read, percent-encoded or not', () => {
  expect(disposedName('attachment; filename=alarm.xlsx')).toBe('alarm.xlsx')
  expect(disposedName('attachment; filename="%E5%91%8A%E8%AD%A6.xlsx"')).toBe('告警.xlsx')
  expect(disposedName('attachment; filename="100%.txt"')).toBe('100%.txt')
})

test('a path in the name is cut off', () => {
  expect(disposedName('attachment; filename="../../etc/passwd"')).toBe('passwd')
})

test('without the header there is no file', () => {
  expect(disposedName(null)).toBeUndefined()
  expect(disposedName('inline')).toBeUndefined()
})
