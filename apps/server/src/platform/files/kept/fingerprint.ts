import { createHash } from 'node:crypto'
import { Refusal } from '../../calls/refusal.ts'
import { contentTypeOf, sampleBytes } from './content-type.ts'

/** Size, hashes and type of a file, computed from its bytes. Hashes are lower-case hexadecimal. */
export interface Fingerprint {
  sizeBytes: number
  md5: string
  sha1: string
  sha256: string
  contentType: string
}

/**
 * Passes a stream on and computes its fingerprint meanwhile. `result()` is for when `over()` has ended.
 * Throws `bodyTooLarge` at the first byte over the limit.
 */
export function createFingerprint(limitBytes: number = Infinity) {
  const md5 = createHash('md5')
  const sha1 = createHash('sha1')
  const sha256 = createHash('sha256')
  const sample = Buffer.alloc(sampleBytes)
  let sizeBytes = 0
  return {
    async *over(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const bytes of source) {
        if (sizeBytes + bytes.byteLength > limitBytes) throw tooLarge(limitBytes)
        if (sizeBytes < sampleBytes) sample.set(bytes.subarray(0, sampleBytes - sizeBytes), sizeBytes)
        sizeBytes += bytes.byteLength
        md5.update(bytes)
        sha1.update(bytes)
        sha256.update(bytes)
        yield bytes
      }
    },
    result: (): Fingerprint => ({
      sizeBytes,
      md5: md5.digest('hex'),
      sha1: sha1.digest('hex'),
      sha256: sha256.digest('hex'),
      contentType: contentTypeOf(sample.subarray(0, Math.min(sizeBytes, sampleBytes))),
    }),
  }
}

/** The refusal of a file over its limit, at the field `file`. */
export function tooLarge(limitBytes: number): Refusal {
  const limit = Math.floor(limitBytes / 1024 / 1024)
  return new Refusal('bodyTooLarge', [{ field: 'file', message: `文件大小不能超过 ${limit} MB` }])
}
