import { crc32, deflateSync } from 'node:zlib'

/** A PNG with coloured bands, 320 by 180. */
export function bands(): Buffer {
  const [width, height] = [320, 180]
  const row = (at: number) => {
    const colour =
      [
        [0x22, 0x57, 0xd0],
        [0x35, 0xc4, 0x7c],
        [0xf5, 0xc7, 0x1f],
      ][Math.floor((at * 3) / height)] ?? []
    // Each row begins with its filter type: none.
    return [0, ...Array.from({ length: width }, () => colour).flat()]
  }
  const rows = Buffer.from(Array.from({ length: height }, (_, at) => row(at)).flat())
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(named))
    return Buffer.concat([length, named, sum])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  // Eight bits per channel, RGB.
  head.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
