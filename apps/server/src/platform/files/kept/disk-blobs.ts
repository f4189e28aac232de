// Kept files on disk, under DATA_DIR: in 256 folders by the first two digits of the id. A blob is written under another
// name in `incoming`, synchronised with the disk, renamed, and its folder is synchronised: it survives a power cut from
// the moment that `put` resolves.
import { mkdirSync } from 'node:fs'
import { access, constants, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DiskWatch } from '../../process/disk/disk-watch.ts'
import { ignoreMissing, isMissing, syncDirectory } from '../../process/disk/files-on-disk.ts'
import { refusalOfWriting } from '../../process/disk/no-room.ts'
import { BlobStream } from './blob-stream.ts'
import { type Blobs, idOf, keyOf, ownerKey } from './blobs.ts'
import { partsOf } from './parts.ts'

const writeBufferBytes = 256 * 1024

export interface DiskBlobsOptions {
  /** A folder of our own; made where it is missing. */
  directory: string
  /** Lets the group read folders and blobs, for a proxy that sends them. Nobody else may read them in any case. */
  isGroupReadable?: boolean
  /** Says whether there is room for another blob, and is told where there was none. */
  disk?: Pick<DiskWatch, 'roomFor' | 'leftForFiles' | 'suspect'>
}

export function openDiskBlobs({ directory, isGroupReadable = false, disk }: DiskBlobsOptions): Blobs {
  const fileMode = isGroupReadable ? 0o640 : 0o600
  const folderMode = isGroupReadable ? 0o750 : 0o700
  const incoming = join(directory, 'incoming')
  const pathOf = (id: string) => join(directory, keyOf(id))
  mkdirSync(directory, { recursive: true, mode: folderMode })
  mkdirSync(incoming, { recursive: true, mode: 0o700 })

  /** The blob under its own name, once it is complete. */
  const publish = async (temporary: string, path: string) => {
    const folder = dirname(path)
    const isNew = (await mkdir(folder, { recursive: true, mode: folderMode })) !== undefined
    await rename(temporary, path)
    await syncDirectory(folder)
    if (isNew) await syncDirectory(directory)
  }

  const write = async (path: string, source: AsyncIterable<Uint8Array>, name: string) => {
    const temporary = join(incoming, name)
    try {
      const handle = await open(temporary, 'wx', fileMode)
      try {
        // Through two buffers: one is filled while the other is written, and the source may reuse the memory of its
        // pieces.
        let writing = Promise.resolve()
        for await (const part of partsOf(source, { partBytes: writeBufferBytes, buffers: 2 })) {
          await writing
          writing = handle.writeFile(part)
          // An error is met at the next part, or at the end.
          writing.catch(() => undefined)
        }
        await writing
        await handle.sync()
      } finally {
        await handle.close()
      }
      await publish(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      const refusal = refusalOfWriting(error)
      if (refusal !== error) disk?.suspect()
      throw refusal
    }
  }

  return {
    async put(id, source, mostBytes = 0) {
      const room = disk?.roomFor(mostBytes)
      try {
        await write(pathOf(id), source, id)
      } finally {
        room?.end()
      }
    },

    async open(id, range) {
      try {
        const handle = await open(pathOf(id), 'r')
        return new BlobStream(handle, range ?? { start: 0, end: (await handle.stat()).size - 1 })
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },

    remove: (id) => rm(pathOf(id), { force: true }),

    async *list() {
      for (const shard of await readdir(directory)) {
        if (!/^[0-9a-f]{2}$/.test(shard)) continue
        for (const name of await readdir(join(directory, shard))) {
          const id = idOf(`${shard}/${name}`)
          const found = id && (await stat(pathOf(id)).catch(ignoreMissing))
          if (found) yield { id: name, changedAt: found.mtime }
        }
      }
    },

    async removeUnfinished(before) {
      let count = 0
      for (const name of await readdir(incoming)) {
        const path = join(incoming, name)
        const found = await stat(path).catch(ignoreMissing)
        if (!found || found.mtime >= before) continue
        await rm(path, { force: true })
        count += 1
      }
      return count
    },

    async readOwner() {
      return (await readFile(join(directory, ownerKey), 'utf8').catch(ignoreMissing)) ?? null
    },
    async writeOwner(installation) {
      await write(join(directory, ownerKey), bytesOf(installation), `${ownerKey}-${process.pid}`)
    },

    ping: () => access(incoming, constants.W_OK),
    place: { kind: 'disk', pathOf: keyOf },
    get leftBytes() {
      return disk?.leftForFiles ?? Number.POSITIVE_INFINITY
    },
    close: () => undefined,
  }
}

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}
