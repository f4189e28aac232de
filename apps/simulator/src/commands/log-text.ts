// Writes a device's log, and packs it.
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import type { ExtractLogCommand } from '@voltkeep/contract/topics/index'
import type { Random } from '../random.ts'

type Level = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR'

/** `#` stands for a number. The language varies with the maker: some lines are Chinese, some English. */
const lines: readonly (readonly [level: Level, source: string, text: string])[] = [
  ['DEBUG', 'can', 'frame id=0x#  dlc=8 data=00 # # 1F'],
  ['DEBUG', 'mqtt', 'PINGREQ sent, rtt=#ms'],
  ['INFO', 'bin', '仓位#充电完成，SOC=#%'],
  ['INFO', 'bin', '仓位#电池插入，编号BAT#'],
  ['INFO', 'door', 'door # opened by user U#'],
  ['INFO', 'door', 'door # closed'],
  ['INFO', 'swap', '换电成功：还入仓位#，取出仓位#'],
  ['INFO', 'net', '4G信号强度 -#dBm'],
  ['WARN', 'temp', '仓位#温度偏高：#℃'],
  ['WARN', 'net', 'connection lost, retry in #s'],
  ['WARN', 'power', '市电电压波动：#V'],
  ['ERROR', 'bms', '仓位#电池通信超时，已重试3次'],
  ['ERROR', 'charger', 'module # over-temperature, output cut'],
]
/** Relative frequency: the worse, the rarer. */
const shares: Record<Level, number> = { DEBUG: 10, INFO: 10, WARN: 3, ERROR: 1 }
const weighted = lines.flatMap((line) => Array<(typeof lines)[number]>(shares[line[0]]).fill(line))

const two = (value: number) => String(value).padStart(2, '0')

/** By the device's zone, which is China's. */
function stamp(timeMs: number): string {
  const at = new Date(timeMs + 8 * 3_600_000)
  return `${at.toISOString().slice(0, 10)} ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}.${String(at.getUTCMilliseconds()).padStart(3, '0')}`
}

/** About this number of bytes in lines, spread over the range. */
export function writeLog(
  { startTime, endTime, level }: Pick<ExtractLogCommand, 'startTime' | 'endTime' | 'level'>,
  textBytes: number,
  random: Random,
): string {
  const meanLineBytes = 72
  const count = Math.max(1, Math.round(textBytes / meanLineBytes))
  const stepMs = Math.max(1, (endTime - startTime) / count)
  const written: string[] = []
  for (let index = 0; index < count; index += 1) {
    const time = startTime + stepMs * (index + random.next())
    const [severity, source, text] = weighted[
      Math.floor(random.next() * weighted.length)
    ] as (typeof lines)[number]
    const filled = text.replace(/#/g, () => String(Math.floor(random.next() * 100)))
    written.push(`${stamp(time)} [${severity.padEnd(5)}] ${level.toLowerCase()}/${source}: ${filled}`)
  }
  return `${written.join('\n')}\n`
}

/** The text in the form that is uploaded; a ZIP archive has one file for each kind of line. */
export function packLog(text: string, fileType: ExtractLogCommand['fileType']): Buffer {
  switch (fileType) {
    case 'txt':
      return Buffer.from(text)
    case 'gz':
      return gzipSync(text)
    case 'zip': {
      const all = text.split('\n')
      const faults = all.filter((line) => line.includes('[WARN ]') || line.includes('[ERROR]'))
      return zip({ '日志/运行日志.log': text, '日志/故障日志.log': `${faults.join('\n')}\n` })
    }
  }
}

/** A ZIP archive: names in UTF-8, contents deflated. */
function zip(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text)
    const packed = deflateRawSync(content)
    const nameBytes = Buffer.from(name)
    // The fields that an entry's header and its line in the directory have in common.
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x0800, 2)
    common.writeUInt16LE(8, 4)
    common.writeUInt16LE(0x0021, 8)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(nameBytes.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, nameBytes, packed])
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, place, nameBytes]))
    parts.push(local)
    offset += local.length
  }
  const lines = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(lines.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, lines, Buffer.from('PK\x05\x06'), end])
}
