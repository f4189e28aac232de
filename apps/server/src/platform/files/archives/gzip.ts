import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { StoredFile } from '@voltkeep/contract'
import { Refusal } from '../../calls/refusal.ts'
import type { Files } from '../kept/index.ts'
import { objectionTo } from './limits.ts'

const chunkBytes = 64 * 1024

/** Yields the unpacked content of a gzip file. Throws `archiveUnreadable` where it comes to more than the limit. */
export async function* gunzipped(
  files: Pick<Files, 'read'>,
  file: Pick<StoredFile, 'id'>,
  limitBytes: number,
): AsyncGenerator<Uint8Array> {
  const packed = await files.read(file)
  const unpacking = createGunzip({ chunkSize: chunkBytes })
  // Whoever reads `unpacking` gets the error.
  pipeline(packed, unpacking, () => undefined)
  let unpackedBytes = 0
  for await (const bytes of unpacking as AsyncIterable<Buffer>) {
    unpackedBytes += bytes.byteLength
    const objection = objectionTo({ packedBytes: unpacking.bytesWritten, unpackedBytes }, limitBytes)
    if (objection !== null) throw new Refusal('archiveUnreadable', null, objection)
    yield bytes
  }
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
