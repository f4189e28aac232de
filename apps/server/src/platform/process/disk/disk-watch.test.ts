import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterEach, expect, test, vi } from 'vitest'
import { readConfig } from '../config.ts'
import { createWarnings } from '../warnings.ts'
import { type DiskWatch, watchDisk } from './disk-watch.ts'

const megabyte = 1024 ** 2
const totalBytes = 1_000 * megabyte

let disk: DiskWatch | undefined
afterEach(() => disk?.close())

/** A disk of 1,000 MB: files leave 100 MB of it, intake 50 MB. */
async function watch(freeMb: number) {
  const state = { freeMb }
  const warnings = createWarnings()
  let looks = 0
  const watched = watchDisk({
    config: readConfig({ DISK_WARN_PERCENT: '80', DISK_STOP_PERCENT: '95' }),
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
    warnings,
    readSpace: async () => {
      looks += 1
      return { totalBytes, freeBytes: state.freeMb * megabyte }
    },
  })
  disk = watched
  const look = async (nextFreeMb = state.freeMb) => {
    state.freeMb = nextFreeMb
    const before = looks
    watched.suspect()
    await vi.waitFor(() => expect(looks).toBeGreaterThan(before))
    await new Promise(setImmediate)
  }
  await look()
  return { watched, look, warnings, take: (mb: number) => watched.roomFor(mb * megabyte) }
}

const full = expect.objectContaining({ refusal: 'filesFull' })
const refused = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return error
  }
  return 'taken'
}

test('files are refused while intake has as much again, and taken again when a fifth more is free', async () => {
  const { watched, look, warnings, take } = await watch(500)
  take(0).end()
  await look(99)
  expect([watched.isIntakeStopped, watched.leftForFiles]).toEqual([false, 0])
  expect(refused(() => take(0))).toEqual(full)
  expect(warnings.current()).toEqual([
    '磁盘空间不足（已用 90.1%，剩余 99 MB）：已停止上传和导出，为设备报文留出空间',
  ])
  await look(49)
  expect([watched.isIntakeStopped, refused(() => take(0))]).toEqual([true, full])
  await look(110)
  expect([watched.isIntakeStopped, refused(() => take(0))]).toEqual([false, full])
  await look(120)
  take(20).end()
})

test('files that come beside each other take no more than what files leave free', async () => {
  const { take, watched } = await watch(500)
  const rooms = Array.from({ length: 4 }, () => take(90))
  expect(watched.leftForFiles).toBe(40 * megabyte)
  expect(refused(() => take(90))).toEqual(full)
  rooms[0]?.grow(40 * megabyte)
  expect(refused(() => rooms[1]?.grow(1))).toEqual(full)
})

test('a file that has ended counts until the disk has been looked at since', async () => {
  const { take, look, watched } = await watch(500)
  const room = take(300)
  room.end()
  room.end()
  expect([refused(() => take(300)), watched.leftForFiles]).toEqual([full, 100 * megabyte])
  await look()
  expect(watched.leftForFiles).toBe(400 * megabyte)
  take(300).end()
  await look(200)
  expect(watched.leftForFiles).toBe(100 * megabyte)
})
