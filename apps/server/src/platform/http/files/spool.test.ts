import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { createRooms } from '../../process/disk/room.ts'
import { spooled } from './spool.ts'

const directory = mkdtempSync(join(tmpdir(), 'voltkeep-spool-'))
afterAll(() => rmSync(directory, { recursive: true }))

async function* portions(count: number, onEnd = () => {}) {
  try {
    for (let n = 0; n < count; n += 1) yield Buffer.alloc(1_000 + n, n % 256)
  } finally {
    onEnd()
  }
}

async function all(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}

it('the spool delivers the bytes unchanged', async () => {
  expect(await all(spooled(portions(300), { directory }))).toEqual(await all(portions(300)))
  expect(await all(spooled(portions(0), { directory }))).toHaveLength(0)
})

it('the producer finishes although nobody reads', async () => {
  const onEnd = vi.fn()
  const reading = spooled(portions(5_000, onEnd), { directory })
  await reading.next()
  await vi.waitUntil(() => onEnd.mock.calls.length === 1, { timeout: 20_000 })
  expect(readdirSync(directory)).toEqual([])
  await reading.return(undefined)
})

it('the producer is aborted when the reader disconnects', async () => {
  const onEnd = vi.fn()
  const endless = (async function* () {
    try {
      while (true) yield Buffer.alloc(100)
    } finally {
      onEnd()
    }
  })()
  const reading = spooled(endless, { directory })
  await reading.next()
  await reading.return(undefined)
  expect(onEnd).toHaveBeenCalledOnce()
})

it('an error of the producer reaches the reader', async () => {
  const failing = (async function* () {
    yield Buffer.from('a')
    throw new Error('the database is away')
  })()
  await expect(all(spooled(failing, { directory }))).rejects.toThrow('the database is away')
})

it('a file that would take the room of others ends with the refusal, and gives its room back', async () => {
  const rooms = createRooms()
  rooms.look()(50_000)
  const disk = { roomFor: rooms.open }
  await expect(all(spooled(portions(300), { directory, disk }))).rejects.toMatchObject({
    refusal: 'filesFull',
  })
  rooms.look()(50_000)
  expect(rooms.leftBytes()).toBe(50_000)
  expect(await all(spooled(portions(20), { directory, disk }))).toEqual(await all(portions(20)))
})

it('a client that goes ends the producer behind the batch that it is at, and whoever waits for a turn before it', async () => {
  const gone = new AbortController()
  const endTurn = vi.fn()
  let batches = 0
  let next = () => {}
  const slow = (async function* () {
    for (;;) {
      batches += 1
      await new Promise<void>((resolve) => (next = resolve))
      yield Buffer.from('batch')
    }
  })()
  const reading = all(
    spooled(slow, { directory, signal: gone.signal, takeTurn: () => Promise.resolve(endTurn) }),
  )
  await vi.waitUntil(() => batches === 1)
  gone.abort()
  await new Promise(setImmediate)
  expect(endTurn).not.toHaveBeenCalled()
  next()
  await expect(reading).rejects.toThrow()
  expect([batches, endTurn.mock.calls.length]).toEqual([1, 1])
})
