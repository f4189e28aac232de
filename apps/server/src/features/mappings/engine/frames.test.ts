// What makers' frames have besides values: checksums, another character set, zones with a change of clocks.
import { type MappingDocument, MappingDocument as Schema } from '@voltkeep/contract'
import { downTopics } from '@voltkeep/contract/topics/index'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { checksumOf } from './checksums.ts'
import { Fault } from './fault.ts'
import { compileMapping } from './mapping.ts'
import { Memory } from './memory.ts'

type Given = Partial<z.input<typeof Schema>>
const device = { code: 'EC1', protocolIdentity: null }
const nowMs = 1_767_225_600_000

const compile = (given: Given) =>
  compileMapping(z.parse(Schema, { topic: 'acme/{code}/data', format: 'binary', rules: [], ...given }))
function mappingOf(given: Given) {
  const mapping = compile(given)
  if ('problems' in mapping) throw new Error(mapping.problems.join('；'))
  return mapping
}
const understood = (given: Given, payload: Buffer) =>
  mappingOf(given).understand('acme/EC1/data', payload, device, new Memory(), nowMs)
const told = (command: NonNullable<Given['commands']>[number], given: Given = {}) =>
  mappingOf({ ...given, commands: [command] }).tell('action', downTopics.action.example, device, new Memory())

describe('a checksum', () => {
  // The check values of the catalogue: each of the text 123456789.
  test.each([
    ['sum8', 'dd'],
    ['xor8', '31'],
    ['crc8', 'f4'],
    ['crc16-modbus', '374b'],
    ['crc16-xmodem', '31c3'],
    ['crc16-ccitt', '29b1'],
    ['crc32', 'cbf43926'],
  ] as const)('%s is that of the catalogue', (type, hex) => {
    const bytes = Buffer.from('123456789')
    expect(checksumOf(type, bytes).toString('hex')).toBe(hex)
    const swapped = Buffer.from(hex, 'hex').reverse().toString('hex')
    expect(checksumOf(type, bytes, type === 'crc16-modbus' ? 'be' : 'le').toString('hex')).toBe(swapped)
  })

  const rules: Given['rules'] = [{ target: 'reading', fields: { t: { at: 1, type: 'u8' } } }]
  // A request of Modbus RTU, as its specification has it.
  const frame = Buffer.from('010300000001840a', 'hex')

  test('that matches lets the message through; one that does not makes it nothing, with both', () => {
    const given: Given = { rules, checksum: { type: 'crc16-modbus', at: -2 } }
    expect(understood(given, frame)).toMatchObject({ isMapped: true, faults: [] })
    const broken = Buffer.from(frame)
    broken[3] = 1
    expect(understood(given, broken)).toMatchObject({
      isMapped: false,
      reports: [],
      faults: ['校验码是 840a，应为 d5ca'],
    })
    expect(understood(given, Buffer.of(1)).faults).toEqual(['报文只有 1 字节，没有校验码'])
  })

  test('is of the bytes that the document names', () => {
    // 68, length, two bytes, their sum, 16.
    const framed = Buffer.from('680210203016', 'hex')
    const checksum = { type: 'sum8', at: -2, from: 2, to: -2 } as const
    expect(understood({ rules, checksum }, framed)).toMatchObject({ isMapped: true })
    expect(understood({ rules, checksum: { ...checksum, from: 1 } }, framed).faults).toEqual([
      '校验码是 30，应为 32',
    ])
  })

  test('is put into a command, of the bytes before it', () => {
    const command = {
      command: 'action',
      topic: 'acme/{code}/cmd',
      format: 'binary',
      payload: [
        { type: 'u8', value: 0x68 },
        { type: 'hex', value: '010300000001', length: 6 },
        { type: 'crc16-modbus', from: 1 },
        { type: 'u8', value: 0x16 },
      ],
    } as const
    expect((told(command as never) as { payload: Buffer }).payload.toString('hex')).toBe(
      `68${frame.toString('hex')}16`,
    )
  })

  test('of JSON is a mistake', () => {
    expect(compile({ format: 'json', checksum: { type: 'sum8', at: -1 } })).toEqual({
      problems: ['checksum 只用于二进制的报文'],
    })
  })
})

describe('texts in GB 18030', () => {
  const hot = Buffer.from('b8dfcec2', 'hex') // 高温

  test('are read in JSON and in bytes', () => {
    const json = Buffer.concat([Buffer.from('{"t":"'), hot, Buffer.from('"}')])
    const given: Given = {
      format: 'json',
      charset: 'gb18030',
      rules: [{ target: 'reading', fields: { 状态: { path: '/t' } } }],
    }
    expect(understood(given, json).reports[0]?.payload).toMatchObject({ status: { 状态: '高温' } })
    expect(understood({ ...given, charset: 'utf-8' }, json).faults).toEqual(['报文不是 UTF-8 编码'])
    expect(understood(given, Buffer.of(0x22, 0xff, 0x22)).faults).toEqual(['报文不是 GB 18030 编码'])
    const rules: Given['rules'] = [
      { target: 'reading', fields: { 状态: { at: 0, type: 'text', length: 6 } } },
    ]
    const bytes = Buffer.concat([hot, Buffer.of(0, 0)])
    expect(understood({ charset: 'gb18030', rules }, bytes).reports[0]?.payload).toMatchObject({
      status: { 状态: '高温' },
    })
  })

  test('are written as they are read, and what GBK has no sign for is refused', () => {
    const command = (text: string) => ({ command: 'action' as const, topic: 't', payload: { text } })
    const { payload } = told(command('高温 1号仓'), { charset: 'gb18030' }) as { payload: Buffer }
    expect(new TextDecoder('gb18030').decode(payload)).toBe('{"text":"高温 1号仓"}')
    expect(payload).toHaveLength('{"text":"高温 1号仓"}'.length + 4)
    expect(told(command('🔥'), { charset: 'gb18030' })).toEqual(new Fault('“🔥”不能写成 GBK'))
  })
})

describe('a zone with a name', () => {
  const timeOf = (zone: string, text: string) => {
    const time: MappingDocument['time'] = { path: '/t', timeUnit: 'iso', zone }
    const rules: Given['rules'] = [{ target: 'event', fields: { code: { const: 'E1' } } }]
    return understood({ format: 'json', time, rules }, Buffer.from(JSON.stringify({ t: text }))).reports[0]
      ?.payload.time
  }

  test.each([
    ['Asia/Shanghai', '2026-07-01 08:00:00', '2026-07-01T00:00:00Z'],
    ['Europe/Berlin', '2026-07-01 08:00:00', '2026-07-01T06:00:00Z'],
    ['Europe/Berlin', '2026-01-01 08:00:00.250', '2026-01-01T07:00:00.250Z'],
    // The hour that its clocks show twice is the first; the one that they leave out is as much later.
    ['Europe/Berlin', '2026-10-25 02:30:00', '2026-10-25T00:30:00Z'],
    ['Europe/Berlin', '2026-03-29 02:30:00', '2026-03-29T01:30:00Z'],
    // A zone in the text goes before.
    ['Europe/Berlin', '2026-07-01T08:00:00+08:00', '2026-07-01T00:00:00Z'],
  ])('%s: %s is %s', (zone, text, expected) => {
    expect(timeOf(zone, text)).toBe(Date.parse(expected))
  })

  test('that there is not is a problem in words', () => {
    const rules: Given['rules'] = [{ target: 'event', fields: { code: { const: 'E1' } } }]
    expect(compile({ format: 'json', time: { path: '/t', zone: 'Asia/Atlantis' }, rules })).toEqual({
      problems: ['第 1 条规则：time 没有时区 Asia/Atlantis', '没有时区 Asia/Atlantis'],
    })
    expect(z.safeParse(Schema.shape.time, { path: '/t', zone: '北京' }).error?.issues[0]?.message).toBe(
      'zone 应为 +08:00 或 Asia/Shanghai 这样的时区',
    )
  })
})
