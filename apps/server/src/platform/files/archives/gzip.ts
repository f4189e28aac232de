import { createGunzip } from 'node:zlib'
import type { StoredFile } from '@voltkeep/contract'
import { Refusal } from '../../calls/refusal.ts'
import type { Files } from '../kept/index.ts'
import { objectionTo } from './limits.ts'

const chunkBytes = 64 * 1024

/** The number of bytes that is unpacked at a time: at deflate's best ratio, of a thousand, it comes to 4 MB. */
const sliceBytes = 4 * 1024
/** Checksum and size at the end of the file. */
const trailerBytes = 8

/**
 * Yields the unpacked content of a gzip file, as far as it can be unpacked, before it throws what is wrong with it. Throws
 * `archiveUnreadable` where it comes to more than the limit.
 */
export async function* gunzipped(
  files: Pick<Files, 'read'>,
  file: Pick<StoredFile, 'id'>,
  limitBytes: number,
): AsyncGenerator<Uint8Array> {
  const packed = await files.read(file)
  const unpacking = createGunzip({ chunkSize: chunkBytes })
  // Taken at once: a stream that fails drops what nobody has read of it.
  let ready: Buffer[] = []
  let failure: Error | undefined
  unpacking.on('data', (bytes: Buffer) => ready.push(bytes))
  unpacking.once('error', (error) => {
    failure = error
  })
  const settled = (begin: (done: () => void) => void) =>
    new Promise<void>((resolve) => {
      unpacking.once('close', resolve)
      begin(() => {
        unpacking.off('close', resolve)
        resolve()
      })
    })
  let unpackedBytes = 0
  function* taken(): Generator<Uint8Array> {
    const pieces = ready
    ready = []
    for (const bytes of pieces) {
      unpackedBytes += bytes.byteLength
      const objection = objectionTo({ packedBytes: unpacking.bytesWritten, unpackedBytes }, limitBytes)
      if (objection !== null) throw new Refusal('archiveUnreadable', null, objection)
      yield bytes
    }
    if (failure) throw failure
  }
  try {
    for await (const slice of slicesOf(packed)) {
      await settled((done) => unpacking.write(slice, done))
      yield* taken()
    }
    await settled((done) => unpacking.once('end', done).end())
    yield* taken()
  } finally {
    unpacking.destroy()
  }
}

/** The trailer comes by itself: what is unpacked together with a wrong checksum would be lost. */
async function* slicesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let kept: Buffer = Buffer.alloc(0)
  for await (const bytes of source) {
    const held = Buffer.concat([kept, bytes])
    const end = Math.max(0, held.length - trailerBytes)
    for (let at = 0; at < end; at += sliceBytes) yield held.subarray(at, Math.min(end, at + sliceBytes))
    kept = held.subarray(end)
  }
  if (kept.length > 0) yield kept
}

/** The unpacked size that the end of the file states: right for one text below 4 GB, if the file is honest. */
export async function readUnpackedSize(
  files: Pick<Files, 'read'>,
  file: Pick<StoredFile, 'id' | 'sizeBytes'>,
): Promise<number | null> {
  // A header and an end at least.
  if (file.sizeBytes < 18) return null
  const end = await files.read(file, { start: file.sizeBytes - 4, end: file.sizeBytes - 1 })
  return Buffer.concat(await end.toArray()).readUInt32LE(0)
}
