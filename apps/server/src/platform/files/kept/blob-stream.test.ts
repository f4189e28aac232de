import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { BlobStream } from './blob-stream.ts'

const directory = mkdtempSync(join(tmpdir(), 'voltkeep-blob-'))
afterAll(() => rmSync(directory, { recursive: true }))
const path = join(directory, 'blob')
const content = randomBytes(1_500_001)
writeFileSync(path, content)

const whole = { start: 0, end: content.length - 1 }
const openStream = async (range = whole) => new BlobStream(await open(path), range)

/** A slow sink that copies its input late, which reveals a buffer that is reused too early. */
function slowSink() {
  const taken: Buffer[] = []
  const sink = new Writable({
    highWaterMark: 10_000_000,
    async write(bytes: Buffer, _encoding, done) {
      await turn()
      await turn()
      taken.push(Buffer.from(bytes))
      done()
    },
  })
  return { sink, taken }
}

test('piped, it delivers every byte of its range once, also to a slow sink', async () => {
  for (const range of [whole, { start: 0, end: 0 }, { start: 300_000, end: 1_200_000 }]) {
    const { sink, taken } = slowSink()
    const stream = await openStream(range)
    stream.pipe(sink)
    await Promise.all([once(sink, 'finish'), once(stream, 'close')])
    expect(Buffer.concat(taken).equals(content.subarray(range.start, range.end + 1))).toBe(true)
  }
})

test('read in another way, it delivers the same', async () => {
  expect((await buffer(await openStream())).equals(content)).toBe(true)
})

test('a read of an empty file is its end', async () => {
  const empty = join(directory, 'empty')
  writeFileSync(empty, '')
  const range = { start: 0, end: -1 }
  expect((await buffer(new BlobStream(await open(empty), range))).length).toBe(0)
  const { sink, taken } = slowSink()
  new BlobStream(await open(empty), range).pipe(sink)
  await once(sink, 'finish')
  expect(taken).toEqual([])
})

const isLinux = process.platform === 'linux'
const openPlaces = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path
    } catch {
      return false
    }
  })

test.skipIf(!isLinux)('destroyed in the middle, it closes its file', async () => {
  const stream = await openStream()
  stream.pipe(new Writable({ write: () => undefined }))
  await turn()
  expect(openPlaces()).toHaveLength(1)
  stream.destroy()
  await once(stream, 'close')
  expect(openPlaces()).toEqual([])
})

test('a file that is shorter than expected is an error, not an end', async () => {
  const stream = await openStream({ start: 0, end: content.length })
  const { sink } = slowSink()
  stream.pipe(sink)
  const [error] = await once(stream, 'error')
  expect((error as Error).message).toContain('shorter')
  expect(sink.writableEnded).toBe(false)
})
