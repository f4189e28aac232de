/**
 * The file of a backup: a tar archive compressed by Zstandard, which `tar --zstd -tf` lists. It is written and read from
 * the beginning to the end, in memory of some megabytes, whatever its size.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { Header, Parser, type ReadEntry } from 'tar'
import { syncDirectory } from '../../platform/process/disk/files-on-disk.ts'
import type { SpareBytes } from '../../platform/process/disk/spare.ts'
import { NoRoomForBackup } from './no-room.ts'

const blockBytes = 512
/** The disk is looked at after so many bytes, which are fewer once they are packed. */
const lookEachBytes = 16 * 1024 * 1024
/** Level 3 packs 300 to 400 MB a second here, as fast as the database delivers; level 9 saved 4 % for three times the CPU. */
const compression = {
  params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
}

export interface Member {
  name: string
  size: number
  sha256: string
}

export interface ArchiveWriter {
  /** `source` has to yield as many bytes as `size` says. */
  add(name: string, size: number, source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Member>
  /** The archive gets its name when it is whole and on the disk. */
  finish(): Promise<{ bytes: number }>
  /** Removes what has been written. */
  abandon(): Promise<void>
}

/**
 * Writes beside the path until it is finished; readable for this user alone, as secrets are in it. Adding throws
 * `NoRoomForBackup` once the disk has nothing to spare.
 */
export async function createArchive(path: string, spareBytes?: SpareBytes): Promise<ArchiveWriter> {
  const partialPath = `${path}.partial`
  // Of a process that was killed.
  await rm(partialPath, { force: true })
  const packing = createZstdCompress(compression)
  const written = pipeline(packing, createWriteStream(partialPath, { flags: 'wx', mode: 0o600, flush: true }))
  // An error is met by whoever puts the next bytes, or at the end.
  written.catch(() => undefined)

  let unlookedBytes = 0
  async function put(bytes: Uint8Array): Promise<void> {
    unlookedBytes += bytes.length
    if (spareBytes && unlookedBytes >= lookEachBytes) {
      unlookedBytes = 0
      if ((await spareBytes()) < 0) throw new NoRoomForBackup(dirname(path))
    }
    if (packing.destroyed) await written
    if (!packing.write(bytes)) await Promise.race([once(packing, 'drain'), written])
  }

  return {
    async add(name, size, source) {
      const header = new Header({ path: name, size, type: 'File', mode: 0o600, mtime: new Date(0) })
      const block = Buffer.alloc(blockBytes)
      header.encode(block)
      await put(block)
      const hash = createHash('sha256')
      let count = 0
      for await (const bytes of source) {
        count += bytes.length
        if (count > size) break
        hash.update(bytes)
        await put(bytes)
      }
      if (count !== size) throw new Error(`${name} has ${count} bytes, not ${size}`)
      const rest = size % blockBytes
      if (rest > 0) await put(Buffer.alloc(blockBytes - rest))
      return { name, size, sha256: hash.digest('hex') }
    },
    async finish() {
      await put(Buffer.alloc(2 * blockBytes))
      packing.end()
      await written
      const { size } = await stat(partialPath)
      await rename(partialPath, path)
      await syncDirectory(dirname(path))
      return { bytes: size }
    },
    async abandon() {
      packing.destroy()
      await written.catch(() => undefined)
      await rm(partialPath, { force: true })
    },
  }
}

export interface ReadMember {
  name: string
  size: number
  /** To be read to its end before the next member is asked for. */
  bytes: AsyncIterable<Uint8Array>
}

/** Throws where the file is no archive, or is damaged or cut. */
export async function* membersOf(path: string): AsyncGenerator<ReadMember> {
  const parser = new Parser({ strict: true })
  const entries = new PassThrough({ objectMode: true, highWaterMark: 1 })
  let current: ReadEntry | undefined
  /** Whoever reads a member would wait for ever for the rest of it. */
  const fail = (error: Error) => {
    current?.destroy(error)
    entries.destroy(error)
  }
  parser.on('entry', (entry: ReadEntry) => {
    // One that waits to be read has no listener yet, and its error would be thrown within `fail`. Who reads it later gets it.
    entry.on('error', () => {})
    current = entry
    entries.write(entry)
  })
  parser.on('error', fail)
  parser.on('end', () => entries.end())
  const feeding = new AbortController()
  const fed = pipeline(
    createReadStream(path),
    createZstdDecompress(),
    new Writable({
      write(bytes: Buffer, _, done) {
        if (parser.write(bytes)) done()
        else parser.once('drain', () => done())
      },
      final(done) {
        parser.end()
        done()
      },
    }),
    { signal: feeding.signal },
  ).catch(fail)
  try {
    for await (const entry of entries as AsyncIterable<ReadEntry>) {
      yield { name: entry.path, size: entry.size, bytes: entry as AsyncIterable<Uint8Array> }
    }
  } finally {
    feeding.abort()
    await fed
  }
}
