// ZIP archives that are kept in the store, read by ranges: the directory at their end, and one entry at a time.
import { PassThrough, pipeline, type Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type StoredFile, withoutInvisible } from '@voltkeep/contract'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { Refusal, refuse } from '../../calls/refusal.ts'
import type { Files } from '../kept/index.ts'
import { objectionTo } from './limits.ts'
import { ChecksumMismatch, unreadable } from './portion.ts'

export interface ZipEntryInfo {
  /** Its place in the directory of the archive. */
  index: number
  name: string
  sizeBytes: number
  /** Why it is not unpacked, in words for the reader; null where it is. */
  problem: string | null
}

export interface Zip {
  /** As the archive says it, folders included. */
  entryCount: number
  /** The files among the first entries, up to this number of them. */
  list(limit: number): Promise<ZipEntryInfo[]>
  /** Unpacks one entry as it is read, then closes the archive. Throws `archiveEntryNotFound` and `archiveUnreadable`. */
  stream(index: number): AsyncGenerator<Uint8Array>
  close(): void
}

type Kept = Pick<StoredFile, 'id' | 'sizeBytes'>

/**
 * Throws `archiveUnreadable` where the file is no archive or is damaged. The caller closes the archive. An entry that
 * comes to more than the limit is listed with that problem.
 */
export async function openZip(files: Pick<Files, 'read'>, file: Kept, limitBytes: number): Promise<Zip> {
  const reader = new KeptFileReader(files, file)
  let archive: ZipFile
  try {
    // It checks sizes while unpacking: an entry that comes to more than it says ends there.
    archive = await fromRandomAccessReaderPromise(reader, file.sizeBytes, {
      autoClose: false,
      decodeStrings: false,
    })
  } catch (error) {
    throw unreadable(error)
  }
  return {
    entryCount: archive.entryCount,
    async list(limit) {
      const infos: ZipEntryInfo[] = []
      try {
        let index = 0
        for await (const entry of archive.eachEntry()) {
          const info = infoOf(entry, index, limitBytes)
          if (!info.name.endsWith('/')) infos.push(info)
          index += 1
          if (index >= limit) break
        }
      } catch (error) {
        throw unreadable(error)
      }
      return infos
    },
    async *stream(index) {
      try {
        const entry = await entryAt(archive, index)
        const { problem } = infoOf(entry, index, limitBytes)
        if (problem !== null) throw new Refusal('archiveUnreadable', null, problem)
        let checksum = 0
        for await (const bytes of (await archive.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
          checksum = crc32(bytes, checksum)
          yield bytes
        }
        if (checksum !== entry.crc32) throw new ChecksumMismatch('the entry is damaged')
      } finally {
        archive.close()
      }
    },
    close: () => archive.close(),
  }
}

/** Opens an archive for the time of `work`. */
export async function withZip<Result>(
  files: Pick<Files, 'read'>,
  file: Kept,
  limitBytes: number,
  work: (zip: Zip) => Promise<Result>,
): Promise<Result> {
  const zip = await openZip(files, file, limitBytes)
  try {
    return await work(zip)
  } finally {
    zip.close()
  }
}

async function entryAt(archive: ZipFile, index: number): Promise<Entry> {
  let at = 0
  for await (const entry of archive.eachEntry()) {
    if (at === index) return entry
    at += 1
  }
  return refuse('archiveEntryNotFound')
}

const [stored, deflated] = [0, 8]

function infoOf(entry: Entry, index: number, limitBytes: number): ZipEntryInfo {
  const { compressedSize, uncompressedSize, compressionMethod } = entry
  let problem = objectionTo({ packedBytes: compressedSize, unpackedBytes: uncompressedSize }, limitBytes)
  if (compressionMethod !== stored && compressionMethod !== deflated)
    problem = '不支持的压缩方式，请下载后查看'
  if (entry.isEncrypted()) problem = '文件已加密，请下载后查看'
  return { index, name: withoutInvisible(nameOf(entry)), sizeBytes: uncompressedSize, problem }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
/** The encoding of Chinese packers, where an entry does not say UTF-8. */
const gb18030 = new TextDecoder('gb18030')

function nameOf(entry: Entry): string {
  const bytes = entry.fileNameRaw
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return gb18030.decode(bytes)
  }
}

/** The directory is read in dozens of small pieces, each of which would be a request to a bucket. */
const blockBytes = 256 * 1024

class KeptFileReader extends RandomAccessReader {
  readonly #files: Pick<Files, 'read'>
  readonly #file: Kept
  #block = { start: 0, bytes: Buffer.alloc(0) }

  constructor(files: Pick<Files, 'read'>, file: Kept) {
    super()
    this.#files = files
    this.#file = file
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.#fill(position, length).then(
      (bytes) => done(null, bytes.copy(buffer, offset, 0, length)),
      (error: Error) => done(error),
    )
  }

  async #fill(position: number, length: number): Promise<Buffer> {
    const { start, bytes } = this.#block
    if (position >= start && position + length <= start + bytes.length)
      return bytes.subarray(position - start, position - start + length)
    const end = Math.min(this.#file.sizeBytes, position + Math.max(length, blockBytes))
    if (end <= position) return Buffer.alloc(0)
    const source = await this.#files.read(this.#file, { start: position, end: end - 1 })
    this.#block = { start: position, bytes: Buffer.concat(await source.toArray()) }
    return this.#block.bytes.subarray(0, length)
  }

  /** `end` does not belong to the range. */
  override _readStreamForRange(start: number, end: number): Readable {
    const passing = new PassThrough()
    if (end <= start) return passing.end()
    this.#files.read(this.#file, { start, end: end - 1 }).then(
      (source) => pipeline(source, passing, () => undefined),
      (error: Error) => passing.destroy(error),
    )
    return passing
  }

  override close(done: (error: Error | null) => void): void {
    done(null)
  }
}
