import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { serverLogPath, shortenServerLog } from './server-log.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voltkeep-server-log-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const read = (name: string) => readFileSync(join(directory, name), 'utf8')

test('a log beyond its limit is truncated while its writer keeps it open', async () => {
  const fd = openSync(serverLogPath(directory), 'a')
  writeSync(fd, 'first\n')
  await shortenServerLog(directory, 5)
  writeSync(fd, 'second\n')
  closeSync(fd)
  expect(read('postgres.log')).toBe('second\n')
  expect(read('postgres.1.log')).toBe('first\n')
})

test('a log within its limit is unchanged, and a missing one is ignored', async () => {
  await shortenServerLog(directory, 5)
  const fd = openSync(serverLogPath(directory), 'a')
  writeSync(fd, 'first')
  await shortenServerLog(directory, 5)
  closeSync(fd)
  expect(read('postgres.log')).toBe('first')
})
