import { Readable } from 'node:stream'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Files } from '../kept/index.ts'
import { gunzipped, readUnpackedSize } from './gzip.ts'
import { portionOf } from './portion.ts'
import { openZip, withZip } from './zip.ts'

/** A store with one file that counts its requests. */
function storeOf(bytes: Buffer) {
  const store = {
    asked: 0,
    file: { id: 'x', sizeBytes: bytes.length },
    read: (async (_file, range) => {
      store.asked += 1
      return Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes], {
        objectMode: false,
      })
    }) as Files['read'],
  }
  return store
}

/** What comes, and the error that ends it. */
async function readableOf(source: AsyncIterable<Uint8Array>): Promise<[string, unknown]> {
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of source) pieces.push(piece)
    return [Buffer.concat(pieces).toString(), null]
  } catch (error) {
    return [Buffer.concat(pieces).toString(), error]
  }
}

function flipped(good: Buffer, at: number): Buffer {
  const bytes = Buffer.from(good)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  return bytes
}

interface Entry {
  name: Buffer | string
  content: Buffer
  /** The size that the archive declares instead. */
  claimedBytes?: number
  flags?: number
  method?: number
}

function zipOf(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, claimedBytes, flags = 0, method = 8 } of entries) {
    const packed = method === 8 ? deflateRawSync(content) : content
    const nameBytes = Buffer.from(name as string)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(flags, 2)
    common.writeUInt16LE(method, 4)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(claimedBytes ?? content.length, 18)
    common.writeUInt16LE(nameBytes.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, place, nameBytes]))
    parts.push(Buffer.from('PK\x03\x04'), common, nameBytes, packed)
    offset += 30 + nameBytes.length + packed.length
  }
  const lines = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(lines.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, lines, Buffer.from('PK\x05\x06'), end])
}

const mb = 1024 * 1024
const limit = 100 * mb
const whole = { from: 0, limit: Number.MAX_SAFE_INTEGER }
const textOf = async (source: AsyncIterable<Uint8Array>) => {
  const pieces: Uint8Array[] = []
  for await (const piece of source) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}
const listOf = (bytes: Buffer, most = 1_000) => {
  const store = storeOf(bytes)
  return withZip(store, store.file, limit, (zip) => zip.list(most))
}
const textAt = async (bytes: Buffer, index: number) => {
  const store = storeOf(bytes)
  const zip = await openZip(store, store.file, limit)
  return textOf(await portionOf(zip.stream(index), whole))
}
const refusal = (refusalName: string, message?: string) =>
  expect.objectContaining(
    message === undefined ? { refusal: refusalName } : { refusal: refusalName, message },
  )

describe('a ZIP archive', () => {
  const entries = [
    { name: '日志/', content: Buffer.alloc(0) },
    { name: '日志/运行.log', content: Buffer.from('运行') },
    { name: '\u202estored.\u200blog', content: Buffer.from('stored'), method: 0 },
    // 故障.log in GBK, as Chinese archivers have long encoded names.
    { name: Buffer.from('b9cad5cf2e6c6f67', 'hex'), content: Buffer.from('故障') },
  ]

  test('is listed without its directories, with names in UTF-8 or GB 18030', async () => {
    expect(await listOf(zipOf(entries))).toEqual([
      { index: 1, name: '日志/运行.log', sizeBytes: 6, problem: null },
      { index: 2, name: 'stored.log', sizeBytes: 6, problem: null },
      { index: 3, name: '故障.log', sizeBytes: 6, problem: null },
    ])
    expect(await Promise.all([1, 2, 3].map((index) => textAt(zipOf(entries), index)))).toEqual([
      '运行',
      'stored',
      '故障',
    ])
  })

  test('of many entries is listed in part, with a few requests to the store', async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => ({ name: `log-${n}`, content: Buffer.from('x') }))
    const store = storeOf(zipOf(many))
    const { list, count } = await withZip(store, store.file, limit, async (zip) => ({
      list: await zip.list(1_000),
      count: zip.entryCount,
    }))
    expect([list.length, count]).toEqual([1_000, 3_000])
    expect(store.asked).toBeLessThan(10)
    expect(await textAt(zipOf(many), 2_999)).toBe('x')
    await expect(textAt(zipOf(many), 3_000)).rejects.toEqual(refusal('archiveEntryNotFound'))
  })

  test('says why an entry cannot be opened', async () => {
    const bomb = { name: 'bomb', content: Buffer.alloc(80 * mb) }
    const large = { name: 'large', content: Buffer.from('x'), claimedBytes: 200 * mb }
    const encrypted = { name: 'encrypted', content: Buffer.from('x'), flags: 1 }
    const odd = { name: 'odd', content: Buffer.from('x'), method: 12 }
    const archive = zipOf([bomb, large, encrypted, odd])
    const problems = (await listOf(archive)).map(({ problem }) => problem)
    expect(problems).toEqual([
      '压缩比异常，请下载后查看',
      '解压后超过100MB，请下载后查看',
      '文件已加密，请下载后查看',
      '不支持的压缩方式，请下载后查看',
    ])
    for (const [index, problem] of problems.entries())
      await expect(textAt(archive, index)).rejects.toEqual(refusal('archiveUnreadable', problem ?? ''))
  })

  test('ends an entry that is larger than declared', async () => {
    const liar = zipOf([{ name: 'liar', content: Buffer.alloc(10 * mb, 'x'), claimedBytes: 1_000 }])
    await expect(textAt(liar, 0)).rejects.toThrow()
  })

  test('with a wrong checksum of an entry gives its text, and then says so', async () => {
    const damaged = zipOf([{ name: 'a.log', content: Buffer.from('one line\n') }])
    const directory = damaged.lastIndexOf('PK\x01\x02')
    damaged.writeUInt32LE((damaged.readUInt32LE(directory + 16) ^ 1) >>> 0, directory + 16)
    const store = storeOf(damaged)
    const read = async (portion: typeof whole) =>
      portionOf((await openZip(store, store.file, limit)).stream(0), portion)
    expect(await readableOf(await read(whole))).toEqual(['one line\n', expect.any(Error)])
    await expect(read({ from: 1_000, limit: 1 })).rejects.toEqual(
      refusal('archiveUnreadable', '压缩包校验失败'),
    )
  })

  test('that is invalid or damaged is refused', async () => {
    const good = zipOf(entries)
    for (const bad of [Buffer.from('PK\x03\x04'), good.subarray(0, -30), Buffer.alloc(0)])
      await expect(listOf(bad)).rejects.toEqual(refusal('archiveUnreadable', '压缩包已损坏，无法打开'))
    const damaged = Buffer.from(good)
    damaged.write('XX', damaged.lastIndexOf('PK\x01\x02'))
    await expect(listOf(damaged)).rejects.toEqual(refusal('archiveUnreadable'))
  })
})

describe('a gzip file', () => {
  const read = async (bytes: Buffer, portion = whole) => {
    const store = storeOf(bytes)
    return textOf(await portionOf(gunzipped(store, store.file, limit), portion))
  }

  test('is decompressed, as a whole or in part', async () => {
    const text = Array.from({ length: 50_000 }, (_, n) => `line ${n}`).join('\n')
    expect(await read(gzipSync(text))).toBe(text)
    expect(await read(gzipSync(text), { from: 200_000, limit: 10 })).toBe(text.slice(200_000, 200_010))
    expect(await read(gzipSync(text), { from: 10_000_000, limit: 10 })).toBe('')
    // Several members in sequence, as in a log that is appended to.
    expect(await read(Buffer.concat([gzipSync('one '), gzipSync('two')]))).toBe('one two')
  })

  test('that decompresses to more than the limit is aborted', async () => {
    await expect(read(gzipSync(Buffer.alloc(80 * mb)))).rejects.toEqual(
      refusal('archiveUnreadable', '压缩比异常，请下载后查看'),
    )
  })

  test.each([
    ['has a wrong checksum', (good: Buffer) => flipped(good, good.length - 8), '压缩包校验失败'],
    ['has a wrong size', (good: Buffer) => flipped(good, good.length - 4), '压缩包校验失败'],
    ['lacks its end', (good: Buffer) => good.subarray(0, -3), '压缩包被截断'],
    ['lacks checksum and size', (good: Buffer) => good.subarray(0, -8), '压缩包被截断'],
  ])('of one line that %s gives the line, and then says so', async (_, damage, reason) => {
    const store = storeOf(damage(gzipSync('one line\n')))
    const read = (portion: typeof whole) => portionOf(gunzipped(store, store.file, limit), portion)
    expect(await readableOf(await read(whole))).toEqual(['one line\n', expect.any(Error)])
    await expect(read({ from: 1_000, limit: 1 })).rejects.toEqual(refusal('archiveUnreadable', reason))
  })

  test('that is damaged is refused', async () => {
    const damaged = gzipSync('x'.repeat(1_000))
    damaged.fill(0xff, 10, 20)
    await expect(read(damaged)).rejects.toEqual(refusal('archiveUnreadable', '压缩包已损坏，无法打开'))
    await expect(read(gzipSync('x'.repeat(1_000)).subarray(0, -9))).rejects.toThrow()
  })

  test('reports the size of its text', async () => {
    const store = storeOf(gzipSync('x'.repeat(1_234)))
    expect(await readUnpackedSize(store, store.file)).toBe(1_234)
    const short = storeOf(Buffer.from([0x1f, 0x8b]))
    expect(await readUnpackedSize(short, short.file)).toBeNull()
  })
})
