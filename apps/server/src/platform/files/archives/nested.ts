import { Refusal } from '../../calls/refusal.ts'
import { contentTypeOf, sampleBytes } from '../kept/content-type.ts'
import { looksLikeText } from '../kept/text-sample.ts'

const archiveTypes = new Set([
  'application/zip',
  'application/gzip',
  'application/x-7z-compressed',
  'application/vnd.rar',
  'application/x-xz',
  'application/zstd',
  'application/x-bzip2',
  'application/x-tar',
])

/**
 * Passes the unpacked bytes on. Throws `archiveUnreadable` where they are an archive again: its bytes are no text to
 * read. A text that begins with the letters of a signature passes.
 */
export async function* withoutArchives(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true
  for await (const bytes of source) {
    if (isFirst && isArchive(bytes.subarray(0, sampleBytes)))
      throw new Refusal('archiveUnreadable', null, '压缩包中的文件仍是压缩包，请下载后查看')
    isFirst = false
    yield bytes
  }
}

const isArchive = (sample: Uint8Array) =>
  archiveTypes.has(contentTypeOf(sample)) && !looksLikeText(Buffer.from(sample))
