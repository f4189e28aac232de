import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockDataDir } from '../../platform/process/data-dir.ts'
import { StartupError } from '../../platform/process/startup-error.ts'
import { openSession } from './broker-session.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'voltkeep-session-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const opened = async (directory = dataDir) => {
  const { name, release } = await openSession(directory)
  release()
  return name
}

test('the session’s name is the same after every start, and different in another directory', async () => {
  const name = await opened()
  expect(name).toMatch(/^voltkeep-/)
  expect(await opened()).toBe(name)
  expect(statSync(join(dataDir, 'mqtt-session')).mode & 0o777).toBe(0o600)
  const elsewhere = mkdtempSync(join(tmpdir(), 'voltkeep-session-'))
  expect(await opened(elsewhere)).not.toBe(name)
  rmSync(elsewhere, { recursive: true })
})

test('a file that a crash left empty is written again', async () => {
  writeFileSync(join(dataDir, 'mqtt-session'), '')
  const name = await opened()
  expect(name).toMatch(/^voltkeep-[0-9a-f]{12}$/)
  expect(await opened()).toBe(name)
})

test('a second process is refused, unless it has another role', async () => {
  const server = await lockDataDir(dataDir, { isShared: true })
  const first = await openSession(dataDir)
  const refused = await openSession(dataDir).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(StartupError)
  expect((refused as Error).message).toContain(`PID ${process.pid}`)
  const api = await lockDataDir(dataDir, { isShared: true })
  first.release()
  const next = await openSession(dataDir)
  expect(next.name).toBe(first.name)
  for (const lock of [server, api, next]) lock.release()
})
