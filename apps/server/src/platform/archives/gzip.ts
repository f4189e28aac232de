import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { StoredFile } from '@voltkeep/contract'
import type { Files } from '../files/index.ts'
import { Refusal } from '../refusal.ts'
import { objectionTo } from './limits.ts'

const chunkBytes = 64 * 1024

/** What is in a gzip file, unpacked as it is read. Throws `archiveUnreadable` where it comes to more than it may. */
export async function* gunzipped(
  files: Pick<Files, 'read'>,
  file: Pick<StoredFile, 'id'>,
  limitBytes: number,
): AsyncGenerator<Uint8Array> {
  const packed = await files.read(file)
  const unpacking = createGunzip({ chunkSize: chunkBytes })
  // Its failure is met by whoever reads.
  pipeline(packed, unpacking, () => undefined)
  let unpackedBytes = 0
  for await (const bytes of unpacking as AsyncIterable<Buffer>) {
    unpackedBytes += bytes.byteLength
    const objection = objectionTo({ packedBytes: unpacking.bytesWritten, unpackedBytes }, limitBytes)
    if (objection !== null) throw new Refusal('archiveUnreadable', null, objection)
    yield bytes
  }
}

/** What the end of the file says of the unpacked size: true of one text below 4 GB, and only if nobody lied. */
export async function readUnpackedSize(
  files: Pick<Files, 'read'>,
  file: Pick<StoredFile, 'id' | 'sizeBytes'>,
): Promise<number | null> {
  // A header and an end at least.
  if (file.sizeBytes < 18) return null
  const end = await files.read(file, { start: file.sizeBytes - 4, end: file.sizeBytes - 1 })
  return Buffer.concat(await end.toArray()).readUInt32LE(0)
}
