// Writes a ZIP archive as a stream: no entry is ever whole in memory. Compression runs on zlib's threads. Each entry
// and the archive stay below 4 GB.
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'

/** One file of an archive, made as it is read. */
export interface ZipEntry {
  name: string
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** Sizes stand after the content (they are not known before), names are UTF-8. */
const flags = 0x0808
const deflated = 8
const version = 20
/** 1980-01-01: an archive says nothing by its files' dates. */
const dosTime = 0
const dosDate = 0x0021
/** Beyond, the format needs 8-byte fields. */
const sizeLimitBytes = 0xffff_ffff

export async function* zip(entries: Iterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content } of entries) {
    const nameBytes = Buffer.from(name)
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50, 0)
    header.writeUInt16LE(version, 4)
    header.writeUInt16LE(flags, 6)
    header.writeUInt16LE(deflated, 8)
    header.writeUInt16LE(dosTime, 10)
    header.writeUInt16LE(dosDate, 12)
    header.writeUInt16LE(nameBytes.length, 26)
    yield Buffer.concat([header, nameBytes])

    const counts = { crc: 0, sizeBytes: 0, packedBytes: 0 }
    for await (const chunk of compressed(content, counts)) {
      counts.packedBytes += chunk.length
      yield chunk
    }
    if (counts.sizeBytes > sizeLimitBytes || offset > sizeLimitBytes)
      throw new Error('the archive is too large')

    const descriptor = Buffer.alloc(16)
    descriptor.writeUInt32LE(0x08074b50, 0)
    descriptor.writeUInt32LE(counts.crc, 4)
    descriptor.writeUInt32LE(counts.packedBytes, 8)
    descriptor.writeUInt32LE(counts.sizeBytes, 12)
    yield descriptor

    const record = Buffer.alloc(46)
    record.writeUInt32LE(0x02014b50, 0)
    record.writeUInt16LE(version, 4)
    record.writeUInt16LE(version, 6)
    record.writeUInt16LE(flags, 8)
    record.writeUInt16LE(deflated, 10)
    record.writeUInt16LE(dosTime, 12)
    record.writeUInt16LE(dosDate, 14)
    record.writeUInt32LE(counts.crc, 16)
    record.writeUInt32LE(counts.packedBytes, 20)
    record.writeUInt32LE(counts.sizeBytes, 24)
    record.writeUInt16LE(nameBytes.length, 28)
    record.writeUInt32LE(offset, 42)
    directory.push(Buffer.concat([record, nameBytes]))
    offset += 30 + nameBytes.length + counts.packedBytes + 16
  }
  const records = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(records.length, 12)
  end.writeUInt32LE(offset, 16)
  yield Buffer.concat([records, end])
}

async function* compressed(
  content: ZipEntry['content'],
  counts: { crc: number; sizeBytes: number },
): AsyncGenerator<Buffer> {
  const deflate = createDeflateRaw({ level: 6 })
  const source = Readable.from(
    (async function* () {
      for await (const chunk of content) {
        counts.crc = crc32(chunk, counts.crc)
        counts.sizeBytes += chunk.length
        yield chunk
      }
    })(),
    { objectMode: false },
  )
  source.on('error', (error) => deflate.destroy(error))
  source.pipe(deflate)
  try {
    yield* deflate as AsyncIterable<Buffer>
  } finally {
    // A reader who leaves early ends the source as well, and with it whatever it reads from.
    if (!source.destroyed) {
      source.destroy()
      await once(source, 'close')
    }
    deflate.destroy()
  }
}
