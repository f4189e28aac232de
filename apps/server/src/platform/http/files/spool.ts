import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiskWatch } from '../../process/disk/disk-watch.ts'
import { refusalOfWriting } from '../../process/disk/no-room.ts'

const portionBytes = 65_536

/**
 * Yields what `content` yields, by way of a temporary file in `directory`: `content` is read at the disk's pace and not
 * at the reader's, so that its resources (a connection to the database, a turn) are free when the file is made, however
 * slow the reader is. The first bytes are answered while the rest is still being made. Throws what `content` throws,
 * and `filesFull` where there is no room, or where it would be taken from intake. It begins when `takeTurn` lets it, and
 * what that returns is called when `content` has ended: after the batch that is being read where the client goes (`signal`).
 */
export async function* spooled(
  content: AsyncIterable<Uint8Array>,
  {
    directory,
    disk,
    takeTurn,
    signal,
  }: {
    directory: string
    disk?: Pick<DiskWatch, 'roomFor'> | undefined
    takeTurn?: () => Promise<() => void>
    signal?: AbortSignal
  },
): AsyncGenerator<Buffer> {
  const path = join(directory, randomUUID())
  const endTurn = await takeTurn?.()
  const room = disk?.roomFor(0)
  const file = await open(path, 'wx+', 0o600).catch((error) => {
    room?.end()
    endTurn?.()
    throw refusalOfWriting(error)
  })
  const written = new EventEmitter()
  let sizeBytes = 0
  let isWhole = false
  let hasLeft = false
  let failure: { error: unknown } | undefined

  const making = (async () => {
    try {
      for await (const bytes of content) {
        if (hasLeft || signal?.aborted) return
        room?.grow(bytes.length)
        await writeAll(file, bytes, sizeBytes).catch((error) => {
          throw refusalOfWriting(error)
        })
        sizeBytes += bytes.length
        written.emit('more')
      }
      isWhole = true
    } catch (error) {
      failure = { error }
    } finally {
      endTurn?.()
      written.emit('more')
    }
  })()

  try {
    // Nobody else needs its name, and a process that is killed leaves nothing.
    await rm(path, { force: true })
    let readBytes = 0
    while (true) {
      if (readBytes < sizeBytes) {
        const portion = Buffer.allocUnsafe(Math.min(portionBytes, sizeBytes - readBytes))
        const { bytesRead } = await file.read(portion, 0, portion.length, readBytes)
        readBytes += bytesRead
        yield portion.subarray(0, bytesRead)
      } else if (failure) throw failure.error
      else if (isWhole) return
      else await once(written, 'more', signal && { signal })
    }
  } finally {
    hasLeft = true
    await making
    await file.close()
    room?.end()
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}
