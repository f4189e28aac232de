import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSealer, isSealKey, openSealer } from './sealing.ts'

const directory = () => {
  const path = mkdtempSync(join(tmpdir(), 'voltkeep-seal-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

describe('a sealed text', () => {
  const key = randomBytes(32)
  const sealer = createSealer(key)
  const sealed = sealer.seal('密钥 SEC123', 'channel')

  test('is opened with its key and for its purpose, and differs each time', () => {
    expect(createSealer(key).open(sealed, 'channel')).toBe('密钥 SEC123')
    expect(sealer.seal('密钥 SEC123', 'channel')).not.toBe(sealed)
    expect(sealed).not.toContain('SEC123')
  })

  test('is not opened otherwise', () => {
    const changed = `${sealed.slice(0, -6)}${sealed.at(-6) === 'A' ? 'B' : 'A'}${sealed.slice(-5)}`
    expect(sealer.open(sealed, 'other')).toBeNull()
    expect(createSealer(randomBytes(32)).open(sealed, 'channel')).toBeNull()
    for (const text of [changed, '', 'v1.', 'v1.AAAA', 'plain', sealed.slice(3)])
      expect(sealer.open(text, 'channel')).toBeNull()
  })
})

test('a mark is the same for the same text, purpose and key alone, and does not show the text', () => {
  const key = randomBytes(32)
  const mark = createSealer(key).mark('https://robot/?key=SEC123', 'rate')
  expect(createSealer(key).mark('https://robot/?key=SEC123', 'rate')).toBe(mark)
  const others = [
    createSealer(key).mark('https://robot/?key=SEC124', 'rate'),
    createSealer(key).mark('https://robot/?key=SEC123', 'other'),
    createSealer(randomBytes(32)).mark('https://robot/?key=SEC123', 'rate'),
  ]
  expect(new Set([mark, ...others]).size).toBe(4)
  expect(mark).not.toContain('SEC123')
})

test('the key of DATA_DIR is made once, for its owner alone', () => {
  const dataDir = directory()
  const sealed = openSealer({ dataDir, sealKey: undefined }).seal('a', 'p')
  expect(openSealer({ dataDir, sealKey: undefined }).open(sealed, 'p')).toBe('a')
  expect(statSync(join(dataDir, 'seal.key')).mode & 0o777).toBe(0o600)
  expect(openSealer({ dataDir: directory(), sealKey: undefined }).open(sealed, 'p')).toBeNull()
})

test('a key of the setting serves every machine', () => {
  const sealKey = randomBytes(32).toString('base64')
  const sealed = openSealer({ dataDir: directory(), sealKey }).seal('a', 'p')
  expect(openSealer({ dataDir: directory(), sealKey }).open(sealed, 'p')).toBe('a')
  expect([isSealKey(sealKey), isSealKey('short'), isSealKey('')]).toEqual([true, false, false])
})
