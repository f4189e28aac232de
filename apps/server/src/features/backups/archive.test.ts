// An archive that was cut, wherever: whoever reads it is told, and does not wait for ever.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createArchive, membersOf } from './archive.ts'

const directory = mkdtempSync(join(tmpdir(), 'voltkeep-archive-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const cuts = 150

async function readWhole(path: string): Promise<number> {
  let count = 0
  for await (const { bytes } of membersOf(path)) {
    for await (const part of bytes) count += part.length
  }
  return count
}

test('an archive is read as it was written, and cut anywhere it is none', async () => {
  const path = join(directory, 'whole')
  const archive = await createArchive(path)
  let size = 0
  // The end may come while one member is read and the next one waits, so their sizes differ.
  for (let at = 0; at < 60; at += 1) {
    const bytes = at % 3 === 0 ? Buffer.alloc((at * 7_919) % 90_000, 'A') : randomBytes((at * 7_919) % 90_000)
    await archive.add(`member${at}`, bytes.length, [bytes])
    size += bytes.length
  }
  await archive.finish()
  expect(await readWhole(path)).toBe(size)
  const whole = readFileSync(path)
  const cut = join(directory, 'cut')
  for (let at = 0; at < cuts; at += 1) {
    writeFileSync(cut, whole.subarray(0, Math.floor((whole.length * at) / cuts)))
    await expect(readWhole(cut)).rejects.toThrow()
  }
})
