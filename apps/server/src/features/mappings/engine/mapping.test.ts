// Mappings by what they make of messages and commands: every kind of source, every target, and what a hostile document
// or device may cost.
import { type MappingDocument, type MappingSource, MappingDocument as Schema } from '@voltkeep/contract'
import { downTopics, upTopics } from '@voltkeep/contract/topics/index'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { Fault } from './fault.ts'
import { compileMapping, type Mapping } from './mapping.ts'
import { Memory } from './memory.ts'
import { isUnclear } from './topics.ts'
import { unusedPaths } from './unused.ts'

type Given = z.input<typeof Schema>
const device = { code: 'EC1', protocolIdentity: 'SN-001' }
const nowMs = 1_767_225_600_000

function mappingOf(given: Partial<Given>): Mapping {
  const document = z.parse(Schema, { topic: 'acme/{code}/data', format: 'json', rules: [], ...given })
  const mapping = compileMapping(document)
  if ('problems' in mapping) throw new Error(mapping.problems.join('；'))
  return mapping
}
const problemsOf = (given: Partial<Given>): string[] => {
  const mapping = compileMapping(
    z.parse(Schema, { topic: 'acme/{code}/data', format: 'json', rules: [], ...given }),
  )
  return 'problems' in mapping ? mapping.problems : []
}
function understood(
  given: Partial<Given>,
  message: unknown,
  { topic = 'acme/EC1/data', memory = new Memory() } = {},
) {
  const payload = Buffer.isBuffer(message)
    ? message
    : Buffer.from(typeof message === 'string' ? message : JSON.stringify(message))
  return mappingOf(given).understand(topic, payload, device, memory, nowMs)
}
const reading = (source: MappingSource, format: 'json' | 'binary' = 'json') => ({
  format,
  rules: [{ target: 'reading' as const, fields: { v: source } }],
})
/** The value of one source, or its fault. */
function valueBy(source: MappingSource, message: unknown, format: 'json' | 'binary' = 'json') {
  const { reports, faults } = understood(reading(source, format), message)
  const [report] = reports
  return report ? (report.payload as unknown as { status: { v?: unknown } }).status.v : faults[0]
}

describe('a value in JSON', () => {
  test.each([
    [{ path: '/a/b' }, { a: { b: 3 } }, 3],
    [{ path: '/a/1/x~1y' }, { a: [0, { 'x/y': 'z' }] }, 'z'],
    [{ path: '/t', scale: 0.1 }, { t: 235 }, 23.5],
    [{ path: '/t', scale: 0.1, offset: -40 }, { t: 653 }, 25.3],
    [{ path: '/t', scale: 2 }, { t: '7' }, 14],
    [{ path: '/m', bits: [4, 7] }, { m: 0xa5 }, 10],
    [{ path: '/m', bits: [40, 41] }, { m: 2 ** 41 + 5 }, 2],
    [{ path: '/s', table: { 3: '充电' } }, { s: 3 }, '充电'],
    [{ path: '/s', table: { 3: '充电' }, otherwise: '未知' }, { s: 4 }, '未知'],
    [{ path: '/s', table: { true: 1, false: 0 } }, { s: true }, 1],
    [{ topic: 'code' }, {}, 'EC1'],
    [{ const: false }, {}, false],
  ] satisfies [MappingSource, unknown, unknown][])('%j of %j is %j', (source, message, expected) => {
    expect(valueBy(source, message)).toBe(expected)
  })

  test.each([
    [{ path: '/s', table: { 3: 'x' } }, { s: 4 }, '第 1 条规则：v 对照表中没有“4”'],
    [{ path: '/t', scale: 2 }, { t: 'warm' }, '第 1 条规则：v “warm”不是数字'],
    [{ path: '/m', bits: [0, 1] }, { m: -1 }, '第 1 条规则：v -1 不能按位取值'],
    [{ path: '/a' }, { a: [1] }, '第 1 条规则：v 值是列表或对象，应为文本、数字或布尔值'],
  ] satisfies [MappingSource, unknown, string][])('%j of %j is a fault', (source, message, fault) => {
    expect(valueBy(source, message)).toBe(fault)
  })

  test('by the name of an inherited property is none', () => {
    const { reports } = understood(reading({ path: '/constructor' }), {})
    expect(reports.map(({ payload }) => payload)).toMatchObject([{ status: {} }])
  })
})

describe('a value in bytes', () => {
  const bytes = Buffer.from('68ff0102030485ebb141e807cdcc4441202601024142000013', 'hex')
  test.each([
    [{ at: 0, type: 'u8' }, 0x68],
    [{ at: 1, type: 'i8' }, -1],
    [{ at: 2, type: 'u16le' }, 0x0201],
    [{ at: 2, type: 'u16be' }, 0x0102],
    [{ at: 1, type: 'i16be' }, -255],
    [{ at: 0, type: 'i16le' }, -152],
    [{ at: 2, type: 'u32le' }, 0x04030201],
    [{ at: 2, type: 'u32be' }, 0x01020304],
    [{ at: 1, type: 'i32be' }, -16_711_165],
    [{ at: 2, type: 'i32le' }, 0x04030201],
    [{ at: 6, type: 'f32le' }, 22.24],
    [{ at: 12, type: 'f32le' }, 12.3],
    [{ at: 16, type: 'bcd', length: 4 }, '20260102'],
    [{ at: 20, type: 'text', length: 4 }, 'AB'],
    [{ at: 10, type: 'hex', length: 2 }, 'e807'],
    [{ at: -1, type: 'u8' }, 0x13],
    [{ at: 10, type: 'u16le', scale: 0.1 }, 202.4],
    [{ at: 0, type: 'u8', bits: [3, 6] }, 13],
  ] satisfies [MappingSource, unknown][])('%j is %j', (source, expected) => {
    expect(valueBy(source, bytes, 'binary')).toBe(expected)
  })

  test('of eight bytes', () => {
    const eight = Buffer.alloc(32)
    eight.writeBigUInt64LE(5n, 0)
    eight.writeBigUInt64BE(6n, 8)
    eight.writeDoubleLE(1.25, 16)
    eight.writeDoubleBE(-2.5, 24)
    expect(valueBy({ at: 0, type: 'u64le' }, eight, 'binary')).toBe(5)
    expect(valueBy({ at: 8, type: 'u64be' }, eight, 'binary')).toBe(6)
    expect(valueBy({ at: 16, type: 'f64le' }, eight, 'binary')).toBe(1.25)
    expect(valueBy({ at: 24, type: 'f64be' }, eight, 'binary')).toBe(-2.5)
    const single = Buffer.alloc(4)
    single.writeFloatBE(0.5)
    expect(valueBy({ at: 0, type: 'f32be' }, single, 'binary')).toBe(0.5)
  })

  test('beyond the message, or no BCD, is a fault', () => {
    expect(valueBy({ at: 24, type: 'u16le' }, bytes, 'binary')).toBe(
      '第 1 条规则：v 报文只有 25 字节，没有第 24 到 25 字节',
    )
    expect(valueBy({ at: 1, type: 'bcd', length: 1 }, bytes, 'binary')).toBe(
      '第 1 条规则：v 第 1 字节起不是 BCD 码：ff',
    )
  })

  test('that is no number is not measured', () => {
    const bytesOfNaN = Buffer.alloc(4)
    bytesOfNaN.writeFloatLE(Number.NaN)
    expect(valueBy({ at: 0, type: 'f32le' }, bytesOfNaN, 'binary')).toBeUndefined()
  })

  test('is what was written, whatever the number and its place', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 }), fc.integer({ min: -32_768, max: 32_767 }), (at, value) => {
        const message = Buffer.alloc(24)
        message.writeInt16LE(value, at)
        expect(valueBy({ at, type: 'i16le' }, message, 'binary')).toBe(value)
        message.writeInt16BE(value, at)
        expect(valueBy({ at, type: 'i16be' }, message, 'binary')).toBe(value)
      }),
    )
  })
})

describe('a time', () => {
  const timeOf = (source: MappingSource, t: unknown) => {
    const { reports, faults } = understood(
      { time: source, rules: [{ target: 'event', fields: { code: { const: 'E1' } } }] },
      { t },
    )
    return { time: reports[0]?.payload.time, faults }
  }
  test.each([
    [{ path: '/t', timeUnit: 's' }, 1_767_225_601, 1_767_225_601_000],
    [{ path: '/t', timeUnit: 'ms' }, '1767225601234', 1_767_225_601_234],
    [{ path: '/t', timeUnit: 'iso' }, '2026-01-01T08:00:01.5+08:00', 1_767_225_601_500],
    [{ path: '/t', timeUnit: 'iso' }, '2026-01-01 08:00:01', 1_767_225_601_000],
    [{ path: '/t', timeUnit: 'iso', zone: 'Z' }, '2026-01-01T00:00:01', 1_767_225_601_000],
    [{ path: '/t', format: 'yyyyMMddHHmmss' }, '20260101080001', 1_767_225_601_000],
    [
      { path: '/t', format: 'yy/MM/dd HH:mm:ss.SSS', zone: '+00:00' },
      '26/01/01 00:00:01.250',
      1_767_225_601_250,
    ],
    [{ path: '/t', format: 'dd.MM.yyyy HH:mm', zone: '-05:30' }, '31.12.2025 18:30', 1_767_225_600_000],
  ] satisfies [MappingSource, unknown, number][])('%j of %j is %d', (source, given, expected) => {
    expect(timeOf(source, given)).toEqual({ time: expected, faults: [] })
  })

  test.each([['2026-02-30 00:00:00'], ['2026-13-01 00:00:00'], ['soon'], ['2026-01-01T25:00:00Z']])(
    'that is none, %s, is told, and the report has the time of receipt',
    (given) => {
      const { time, faults } = timeOf({ path: '/t', timeUnit: 'iso' }, given)
      expect([time, faults]).toEqual([nowMs, [`第 1 条规则：时间“${given}”无法识别`]])
    },
  )

  test('of a clock that was never set is that of receipt', () => {
    expect(timeOf({ path: '/t', timeUnit: 's' }, 12)).toEqual({ time: nowMs, faults: [] })
    expect(timeOf({ path: '/t', timeUnit: 's' }, undefined)).toEqual({ time: nowMs, faults: [] })
  })

  test('in BCD', () => {
    const rules = [
      {
        target: 'event' as const,
        fields: { code: { const: 'E1' } },
        time: { at: 0, type: 'bcd' as const, length: 6, format: 'yyMMddHHmmss' },
      },
    ]
    expect(
      understood({ format: 'binary', rules }, Buffer.from('260101080001', 'hex')).reports[0]?.payload.time,
    ).toBe(1_767_225_601_000)
  })
})

describe('what a message becomes', () => {
  test('every target, as a device of ours would report it', () => {
    const memory = new Memory()
    memory.sent('command-1', 7, '90210')
    const { reports, faults } = understood(
      {
        time: { path: '/ts', timeUnit: 's' },
        messageId: { path: '/seq' },
        rules: [
          {
            target: 'alarm',
            each: '/alarms',
            fields: {
              code: { item: '/c', table: { 17: '01110002' } },
              value: { item: '/on', table: { true: 1, false: 0 } },
            },
          },
          {
            target: 'event',
            when: 'has(msg.swap)',
            fields: {
              code: { const: '02110001' },
              value: { path: '/swap/slot' },
              isFault: { path: '/swap/bad' },
              'data.user': { path: '/swap/user' },
            },
          },
          {
            target: 'version',
            each: '/fw',
            fields: {
              partType: { item: '/name', table: { main: 'PART_TYPE_EC_MASTER' } },
              version: { item: '/v' },
              addrId: { index: true },
            },
          },
          { target: 'parameter', each: '/cfg', fields: { id: { index: true }, value: { item: '' } } },
          { target: 'reading', fields: { 柜内温度: { path: '/temp', scale: 0.1 }, 门: { path: '/door' } } },
          {
            target: 'compartment',
            each: '/slots',
            fields: {
              no: { index: true, offset: 1 },
              state: { item: '/st', table: { 0: 'empty', 1: 'charging' } },
              isLocked: { item: '/lock' },
              soc: { item: '/soc' },
            },
          },
          {
            target: 'reply',
            fields: {
              commandId: { path: '/ack' },
              outcome: { path: '/rc', table: { 0: 'done' }, otherwise: 'failed' },
            },
          },
          { target: 'upgrade', fields: { state: { const: 'downloading' }, percent: { path: '/pct' } } },
        ],
      },
      {
        ts: 1_767_225_601,
        seq: 42,
        alarms: [{ c: 17, on: true }],
        swap: { slot: 3, bad: 0, user: 'u1' },
        fw: [{ name: 'main', v: 1.2 }],
        cfg: { '02121005': 95, '02121010': '2222220' },
        temp: 235,
        door: true,
        slots: [
          { st: 1, lock: 1, soc: '64' },
          { st: 0, lock: 0 },
        ],
        ack: 7,
        rc: 0,
        pct: 40,
      },
      { memory },
    )
    expect(faults).toEqual([])
    const time = 1_767_225_601_000
    expect(reports).toEqual([
      { name: 'alarm', payload: { id: '42.a01110002', time, code: '01110002', value: 1 } },
      {
        name: 'event',
        payload: { id: '42.e1', time, code: '02110001', value: 3, isFault: false, data: { user: 'u1' } },
      },
      { name: 'reply', payload: { id: '42.r2', time, commandId: 'command-1', outcome: 'done' } },
      {
        name: 'upgrade',
        payload: { id: '42.u3', time, targetId: '90210', state: 'downloading', percent: 40 },
      },
      {
        name: 'version',
        payload: {
          id: '42.v',
          time,
          versions: [{ partType: 'PART_TYPE_EC_MASTER', addrId: '0', version: '1.2' }],
        },
      },
      {
        name: 'parameter',
        payload: {
          id: '42.p',
          time,
          parameters: [
            { id: '02121005', value: 95 },
            { id: '02121010', value: '2222220' },
          ],
        },
      },
      {
        name: 'status',
        payload: {
          id: '42.s',
          time,
          status: { 柜内温度: 23.5, 门: true },
          compartments: [
            { no: 1, state: 'charging', isLocked: true, soc: 64 },
            { no: 2, state: 'empty', isLocked: false },
          ],
        },
      },
    ])
  })

  test('items of a binary frame', () => {
    const { reports } = understood(
      {
        format: 'binary',
        rules: [
          {
            target: 'compartment',
            when: 'bytes[0] == 0x68',
            each: { at: 2, size: 3, countAt: 1 },
            fields: { no: { item: 0, type: 'u8' }, voltage: { item: 1, type: 'u16be', scale: 0.1 } },
          },
        ],
      },
      Buffer.from('680201020c0202080a', 'hex'),
    )
    expect(reports[0]?.payload).toMatchObject({
      compartments: [
        { no: 1, voltage: 52.4 },
        { no: 2, voltage: 52 },
      ],
    })
  })

  test('an alarm is reported when its value changes, and again where it was not written', () => {
    const given: Partial<Given> = {
      rules: [{ target: 'alarm', fields: { code: { const: 'A1' }, value: { path: '/v' } } }],
    }
    const memory = new Memory()
    const count = (v: number) => understood(given, { v }, { memory }).reports.length
    expect([count(1), count(1), count(3), count(0), count(0)]).toEqual([1, 0, 1, 1, 0])
    memory.forgetAlarms()
    expect(count(0)).toBe(1)
  })

  test('readings that a message leaves out are told again with the next, for a while', () => {
    const given: Partial<Given> = {
      rules: [{ target: 'reading', fields: { a: { path: '/a' }, b: { path: '/b' } } }],
    }
    const memory = new Memory()
    const mapping = mappingOf(given)
    const at = (message: object, ms: number) =>
      mapping.understand('acme/EC1/data', Buffer.from(JSON.stringify(message)), device, memory, nowMs + ms)
        .reports[0]?.payload
    expect(at({ a: 1 }, 0)).toMatchObject({ status: { a: 1 } })
    expect(at({ b: 2 }, 1_000)).toMatchObject({ status: { a: 1, b: 2 } })
    expect(at({ b: 3 }, 901_000)).toMatchObject({ status: { b: 3 } })
    expect((at({ b: 3 }, 901_000) as unknown as { status: object }).status).not.toHaveProperty('a')
  })

  test('a message is known again by its id, else by its time and all that it says; without either it is new', () => {
    const rules: Given['rules'] = [{ target: 'event', fields: { code: { const: 'E1' } } }]
    const ids = (given: Partial<Given>, message: object) =>
      [1, 2].map(() => understood({ rules, ...given }, message).reports[0]?.payload.id)
    const [a, b] = ids({ messageId: { path: '/n' } }, { n: 5 })
    expect([a, b]).toEqual(['5.e0', '5.e0'])
    const [c, d] = ids({ time: { path: '/t', timeUnit: 's' } }, { t: 1_767_225_600 })
    expect(c).toBe(d)
    const [e, f] = ids({}, {})
    expect(e).not.toBe(f)
    const [long] = ids({ messageId: { path: '/n' } }, { n: 'x'.repeat(500) })
    expect(String(long).length).toBeLessThan(64)
  })

  test('by its own topic alone, under either of its names', () => {
    const given = reading({ path: '/a' })
    expect(understood(given, { a: 1 }, { topic: 'acme/SN-001/data' })).toMatchObject({
      isMapped: true,
      isForeign: false,
    })
    expect(understood(given, { a: 1 }, { topic: 'acme/EC2/data' })).toMatchObject({
      isMapped: false,
      isForeign: true,
      reports: [],
    })
    expect(understood(given, { a: 1 }, { topic: 'acme/EC1/other' })).toMatchObject({
      isMapped: false,
      isForeign: false,
      faults: ['没有规则用于该主题'],
      pattern: null,
    })
  })

  test.each([
    ['not JSON', '报文不是 JSON'],
    ['', '报文为空'],
    [Buffer.from([0xff, 0xfe]), '报文不是 UTF-8 编码'],
    [{ v: 'x\u0000' }, 'status：文本中有无效字符'],
  ])('%j is nothing, and it is said why', (message, fault) => {
    const { reports, faults, isMapped } = understood(reading({ path: '/v' }), message)
    expect([reports, faults]).toEqual([[], [fault]])
    expect(isMapped).toBe(fault.startsWith('status'))
  })

  test('a part that cannot be is told, and the rest counts', () => {
    const { reports, faults } = understood(
      {
        rules: [
          { name: '温度', target: 'reading', fields: { t: { path: '/t' } } },
          { name: '告警', target: 'alarm', fields: { code: { path: '/c' }, value: { path: '/v' } } },
        ],
      },
      { t: 1, c: '未知编码', v: 1 },
    )
    expect(reports.map(({ name }) => name)).toEqual(['status'])
    expect(faults).toEqual(['alarm：code应为 1 到 8 位字母、数字或下划线'])
  })

  test('what is ignored is mapped to nothing', () => {
    expect(understood({ rules: [{ target: 'ignore', when: 'msg.k == 0' }] }, { k: 0 })).toMatchObject({
      isMapped: true,
      faults: [],
      reports: [],
    })
    expect(understood({ rules: [{ target: 'ignore', when: 'msg.k == 0' }] }, { k: 1 })).toMatchObject({
      isMapped: false,
      faults: ['没有规则适用'],
    })
    expect(understood({ rules: [{ target: 'ignore', when: 'msg.k == 0' }] }, {})).toMatchObject({
      faults: ['没有规则适用：报文中没有 k'],
    })
  })

  test('is valid by the schemas of the device protocol, whatever the message', () => {
    const given: Partial<Given> = {
      rules: [
        { target: 'alarm', fields: { code: { path: '/a' }, value: { path: '/b' } } },
        { target: 'reading', fields: { x: { path: '/a' }, y: { path: '/b', scale: 3 } } },
        {
          target: 'compartment',
          each: '/c',
          fields: { no: { item: '/a' }, soc: { item: '/b' }, state: { item: '/c' } },
        },
        { target: 'version', fields: { partType: { path: '/a' }, version: { path: '/b' } } },
        { target: 'parameter', each: '/c', fields: { id: { item: '/a' }, value: { item: '/b' } } },
      ],
    }
    const mapping = mappingOf(given)
    fc.assert(
      fc.property(
        fc.record({
          a: fc.anything(),
          b: fc.anything(),
          c: fc.oneof(
            fc.anything(),
            fc.array(fc.record({ a: fc.integer(), b: fc.anything(), c: fc.string() })),
          ),
        }),
        (message) => {
          let text: string | undefined
          try {
            text = JSON.stringify(message)
          } catch {
            // A BigInt.
            return
          }
          const { reports } = mapping.understand(
            'acme/EC1/data',
            Buffer.from(text),
            device,
            new Memory(),
            nowMs,
          )
          for (const { name, payload } of reports)
            expect(z.safeParse(upTopics[name].payload as z.ZodMiniType, payload).success).toBe(true)
        },
      ),
    )
  })
})

describe('a hostile mapping or message', () => {
  /** Sixty rules that each go through two hundred items, with a hundred fields each. */
  const greedy: Partial<Given> = {
    rules: Array.from({ length: 60 }, () => ({
      target: 'reading' as const,
      each: '/l',
      when: Array(15).fill('item.v == 1').join(' || '),
      fields: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`r${at}`, { item: '/v' }])),
    })),
  }

  test('ends after a number of steps, with a reason', () => {
    const { reports, faults, isMapped } = understood(greedy, { l: Array(200).fill({ v: 1 }) })
    expect([reports, isMapped]).toEqual([[], false])
    expect(faults).toEqual(['处理该报文超过 5000 步，或结果超过 200 条'])
  })

  test('goes through no list that is too long', () => {
    expect(understood(greedy, { l: Array(201).fill({ v: 1 }) }).faults[0]).toBe(
      '第 1 条规则：列表超过 200 项',
    )
  })

  test('goes through no more of a message by * than it has steps', () => {
    const rules = Array.from({ length: 60 }, () => ({
      target: 'event' as const,
      each: '/*/*/*/*/*',
      fields: { code: { const: 'E1' } },
    }))
    const nested = (depth: number, wide: number): unknown =>
      depth === 0 ? 0 : Array(wide).fill(nested(depth - 1, wide))
    // Dead ends, which are no items.
    const hollow = nested(4, 11)
    expect(understood({ rules }, hollow).faults).toEqual(['处理该报文超过 5000 步，或结果超过 200 条'])
    expect(understood({ rules: rules.slice(1) }, nested(2, 7)).faults).toEqual(['没有规则适用'])
    // A full one is given up at the first list that is too long.
    expect(understood({ rules }, nested(6, 5)).faults).toHaveLength(10)
    const names = Object.fromEntries(Array.from({ length: 8_000 }, (_, n) => [`n${n.toString(36)}`, 0]))
    for (const each of ['/l', '/*'])
      expect(understood({ rules: rules.map((rule) => ({ ...rule, each })) }, { l: names }).faults).toEqual([
        '处理该报文超过 5000 步，或结果超过 200 条',
      ])
  })

  test('makes no more reports than are allowed', () => {
    const rules = [1, 2].map(() => ({
      target: 'event' as const,
      each: '/l',
      fields: { code: { const: 'E1' } },
    }))
    expect(understood({ rules }, { l: Array(150).fill(0) }).reports).toEqual([])
    expect(understood({ rules: rules.slice(1) }, { l: Array(150).fill(0) }).reports).toHaveLength(150)
  })

  test('looks for a text for so many steps as the text is long, and in no text that is too long', () => {
    const sought = 'a'.repeat(250)
    const rules = [
      {
        target: 'event' as const,
        each: '/l',
        when: `msg.t.contains("${sought}b")`,
        fields: { code: { const: 'E1' } },
      },
    ]
    const seeks = (length: number, items: number) =>
      understood({ rules }, { t: 'a'.repeat(length), l: Array(items).fill(0) }).faults
    expect(seeks(1_000, 200)).toEqual(['处理该报文超过 5000 步，或结果超过 200 条'])
    expect(seeks(1_000, 10)).toEqual(['没有规则适用'])
    expect(seeks(20_000, 10)).toEqual(['没有规则适用：条件中的文本过长'])
  })

  test('has its paths without a rule told once, however long its lists are and however many rules there are', () => {
    const rules = Array.from({ length: 60 }, (_, n) => ({
      target: 'reading' as const,
      fields: Object.fromEntries(
        Array.from({ length: 100 }, (__, at) => [`r${at}`, { path: `/list${n}/${at}/value${at}` }]),
      ),
    }))
    const document = z.parse(Schema, { topic: 'acme/{code}/data', format: 'json', rules })
    const message = { list: Array(30_000).fill(0), odd: Array(30_000).fill({ inner: [0] }) }
    const begunAt = performance.now()
    expect(unusedPaths(document, message)).toEqual(['/list/*', '/odd/*/inner/*'])
    const names = Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`n${n}`, { b: { c: 0 } }]))
    expect(unusedPaths(document, names).length).toBeLessThanOrEqual(100)
    // One comparison for each item and rule took minutes.
    expect(performance.now() - begunAt).toBeLessThan(2_000)
  })

  test('may nest as deep as a payload can', () => {
    const deep = `${'['.repeat(32_000)}${']'.repeat(32_000)}`
    expect(understood(reading({ path: '/0/0/0' }), deep).faults).toEqual([
      '第 1 条规则：v 值是列表或对象，应为文本、数字或布尔值',
    ])
  })

  test.each([
    [{ rules: Array(61).fill({ target: 'ignore' }) }, '规则最多 60 条'],
    [{ topic: 'voltkeep/{code}/up/alarm' }, '主题不能以 voltkeep/ 或 $ 开头'],
    [{ topic: 'a/#' }, '主题的每一级应为文字或 {名称}，不能含 + 和 #'],
    [{ topic: '{a}/{a}' }, '主题中有同名的部分'],
    [{ topic: 'a/b/c/d/e/f/g/h/i' }, '主题最多 8 级'],
    [
      { rules: [{ target: 'alarm', fields: { code: { path: 'a' } } }] },
      'path应为 JSON 指针，以 / 开头，如 /data/temp',
    ],
    [
      { rules: [{ target: 'alarm', fields: { code: {} } }] },
      '应有 path、item、at、topic、const、index、sequence 之一，且只有一个',
    ],
    [{ rules: [{ target: 'alarm', fields: { code: { at: 0 } } }] }, '按字节取值时应有 type'],
    [{ rules: [{ target: 'alarm', script: 'x' }] }, '规则中不认识 script'],
  ])('%j is refused by its form', (given, problem) => {
    const result = z.safeParse(Schema, { topic: 't', format: 'json', rules: [], ...given })
    expect(result.error?.issues.map(({ message }) => message)).toContain(problem)
  })

  test.each([
    [[{ target: 'alarm', fields: { code: { const: 'A' } } }], '第 1 条规则：缺少字段 value'],
    [
      [{ name: '门', target: 'event', fields: { code: { const: 'A' }, door: { const: 1 } } }],
      '门：没有字段 door',
    ],
    [
      [{ target: 'reading', fields: { t: { at: 0, type: 'u8' } } }],
      '第 1 条规则：t 报文是 JSON，不能按字节取值',
    ],
    [
      [{ target: 'reading', fields: { t: { item: '/x' } } }],
      '第 1 条规则：t 用了 item 或 index，规则却没有 each',
    ],
    [
      [{ target: 'reading', fields: { t: { topic: 'kind' } } }],
      '第 1 条规则：主题 acme/{code}/data 中没有 {kind}',
    ],
    [[{ target: 'ignore', when: 'msg.x.matches("a")' }], '第 1 条规则：条件不支持 .matches()'],
    [
      [{ target: 'event', fields: { code: { const: 'A' } }, time: { path: '/t', format: 'yyyy年' } }],
      '第 1 条规则：time format 中缺少 MM',
    ],
  ] satisfies [Given['rules'], string][])('%j has a problem in words', (rules, problem) => {
    expect(problemsOf({ rules })).toContain(problem)
  })
})

describe('a command', () => {
  const commands: Given['commands'] = [
    {
      command: 'action',
      when: 'msg.action == "openDoor"',
      topic: 'acme/{code}/cmd',
      fields: { slot: { path: '/compartment', offset: -1 }, n: { sequence: true } },
      payload: { op: 'open', slot: '{{slot}}', n: '{{n}}', text: '第 {{slot}} 仓' },
    },
    {
      command: 'setParameters',
      topic: 'acme/{code}/cfg',
      fields: { id: { item: '/id' }, value: { item: '/value' } },
      payload: {
        set: { $each: '/parameters', $key: '{{id}}', $item: '{{value}}' },
        list: { $each: '/parameters', $item: { k: '{{id}}' } },
      },
    },
    {
      command: 'action',
      when: 'msg.action == "restart"',
      topic: 'acme/{code}/raw',
      format: 'binary',
      fields: { n: { sequence: true } },
      payload: [
        { type: 'hex', value: '68', length: 1 },
        { type: 'u16le', value: '{{n}}' },
        { type: 'text', value: 'OK', length: 4 },
      ],
      isDoneWhenDelivered: true,
    },
  ]
  const mapping = mappingOf({ commands })
  const { action, setParameters, upgrade } = downTopics

  test('becomes a message with its values in it, and its answer finds it by the number', () => {
    const memory = new Memory()
    const told = mapping.tell('action', action.example, device, memory)
    expect(told).toMatchObject({ topic: 'acme/SN-001/cmd', isDoneWhenDelivered: false })
    expect(JSON.parse((told as { payload: Buffer }).payload.toString())).toEqual({
      op: 'open',
      slot: 2,
      n: 1,
      text: '第 2 仓',
    })
    expect(memory.commandOf('1')).toBe('4716')
    expect(memory.lastCommandId).toBe('4716')
  })

  test('with a list', () => {
    const told = mapping.tell('setParameters', setParameters.example, device, new Memory())
    expect(JSON.parse((told as { payload: Buffer }).payload.toString())).toEqual({
      set: { '02121005': 95, '02121010': '2222220' },
      list: [{ k: '02121005' }, { k: '02121010' }],
    })
  })

  /** How often its list is read, and what becomes of it. */
  const renderedBy = (payload: unknown, value: unknown = 0) => {
    let reads = 0
    const command = {
      id: '1',
      get parameters() {
        reads += 1
        return Array(200).fill({ value })
      },
    }
    const fields = { v: { item: '/value' } }
    const told = mappingOf({
      commands: [{ command: 'setParameters', topic: 'acme/{code}/cfg', fields, payload }],
    }).tell('setParameters', command, device, new Memory())
    return { reads, told }
  }

  test('with lists within lists is given up as soon as it is more than a message has', () => {
    const inEach = (depth: number): unknown =>
      depth === 0 ? 0 : { $each: '/parameters', $item: inEach(depth - 1) }
    const { reads, told } = renderedBy(inEach(3))
    expect(told).toEqual(new Fault('命令报文超过 16 KB'))
    // 40,201 for eight million values.
    expect(reads).toBeLessThan(500)
  })

  test('with texts that are put together is, too', () => {
    const text = Array(100).fill('{{v}}').join('-')
    const { told } = renderedBy({ $each: '/parameters', $item: text }, 'x'.repeat(50_000))
    expect(told).toEqual(new Fault('命令报文超过 16 KB'))
    const small = renderedBy({ $each: '/parameters', $item: { k: '<{{v}}{{v}}>' } }, 'x').told
    expect(JSON.parse((small as { payload: Buffer }).payload.toString())).toEqual(
      Array(200).fill({ k: '<xx>' }),
    )
  })

  test('knows which item it is at after a list within it', () => {
    const payload = { $each: '/parameters', $item: [{ $each: '/parameters', $item: 0 }, '{{v}}'] }
    const command = { id: '1', parameters: [{ value: 'a' }, { value: 'b' }] }
    const fields = { v: { item: '/value' } }
    const told = mappingOf({ commands: [{ command: 'setParameters', topic: 't', fields, payload }] }).tell(
      'setParameters',
      command,
      device,
      new Memory(),
    )
    expect(JSON.parse((told as { payload: Buffer }).payload.toString())).toEqual([
      [[0, 0], 'a'],
      [[0, 0], 'b'],
    ])
  })

  test('in bytes', () => {
    const told = mapping.tell('action', { ...action.example, action: 'restart' }, device, new Memory())
    expect(told).toMatchObject({ topic: 'acme/SN-001/raw', isDoneWhenDelivered: true })
    expect((told as { payload: Buffer }).payload.toString('hex')).toBe('6801004f4b0000')
  })

  test('for which there are no words is none; one that cannot be made has a reason', () => {
    expect(mapping.tell('upgrade', upgrade.example, device, new Memory())).toBeNull()
    expect(
      mapping.tell('action', { ...action.example, action: 'stopCharging' }, device, new Memory()),
    ).toBeNull()
    const odd = mappingOf({
      commands: [{ command: 'action', topic: 't', format: 'binary', payload: [{ type: 'u8', value: 300 }] }],
    })
    expect(odd.tell('action', action.example, device, new Memory())).toEqual(new Fault('“300”不能写成 u8'))
    expect([...mapping.abilities]).toEqual(['openDoor', 'restart', 'setParameters'])
  })

  test.each([
    [{ command: 'action', topic: 't/{x}', payload: 1 }, '第 1 条命令：命令的主题中只能有 {code}，没有 {x}'],
    [{ command: 'action', topic: 't', payload: '{{x}}' }, '第 1 条命令：fields 中没有 x'],
    [{ command: 'action', topic: 't' }, '第 1 条命令：缺少 payload'],
    [
      { command: 'action', topic: 't', format: 'binary', payload: {} },
      '第 1 条命令：二进制的 payload 应为列表，每项有 type 和 value，bcd、text、hex 还有 length，校验码没有 value',
    ],
    [{ command: 'action', topic: 't', payload: Array(501).fill(1) }, '第 1 条命令：payload 过大或嵌套过深'],
  ] satisfies [NonNullable<Given['commands']>[number], string][])(
    '%j has a problem in words',
    (command, problem) => {
      expect(problemsOf({ commands: [command] })).toEqual([problem])
    },
  )

  test('may be subscribed to by its device alone', () => {
    for (const filter of ['acme/SN-001/cmd', 'acme/EC1/#', 'SN-001/+'])
      expect(mapping.maySubscribe(filter, device)).toBe(true)
    for (const filter of [
      '#',
      '+/SN-001/cmd',
      'acme/EC2/cmd',
      'acme/+/cmd',
      'voltkeep/EC1/up/alarm',
      '$SYS/#',
    ])
      expect(mapping.maySubscribe(filter, device)).toBe(false)
  })
})

test('values that no rule reads are named', () => {
  const document: MappingDocument = z.parse(Schema, {
    topic: 't',
    format: 'json',
    messageId: { path: '/n' },
    rules: [
      {
        target: 'compartment',
        each: '/slots',
        when: 'msg.kind == 1 && item.on',
        fields: { no: { item: '/no' } },
      },
    ],
  })
  expect(
    unusedPaths(document, {
      n: 1,
      kind: 1,
      ts: 2,
      slots: [
        { no: 1, on: true, soc: 3 },
        { no: 2, on: true, soc: 4 },
      ],
    }),
  ).toEqual(['/ts', '/slots/*/soc'])
})

test.each([
  ['acme/{code}/data', '{code}/{channel}/data', true],
  ['a/{x}/{code}', 'a/{code}/{y}', true],
  ['acme/{code}/data', 'acme/{code}/{kind}', false],
  ['acme/{code}/data', '{code}/{channel}/up', false],
  ['acme/{code}/data', '{code}/data', false],
  ['/{code}/data', '{code}/{x}/data', false],
  ['acme/{x}/data', '{code}/{x}/data', false],
])('%s and %s name two devices by one topic: %s', (one, other, isSo) => {
  expect([isUnclear(one, other), isUnclear(other, one)]).toEqual([isSo, isSo])
})

// A maker's gateway for battery racks: nested lists, fields of bits as texts, numbers as texts, seconds.
describe('a format with nested lists and bits in texts', () => {
  const message = {
    hdr: { mid: 1821, ts: 1_767_225_590, fw: '3.2.7' },
    pack: { soc: '64.5', cur: -12.3, flt: '0x00000041', prot: '00000000000000000000000000000002' },
    racks: [
      {
        no: 1,
        mods: [
          [3312, 251, 1],
          [3308, 252, 0],
        ],
      },
      { no: 2, mods: [[3315, 249, 1]] },
    ],
    bal: '0b0101',
  }
  const given: Partial<Given> & Pick<Given, 'topic' | 'rules'> = {
    topic: 'acme/{code}/data',
    time: { path: '/hdr/ts', timeUnit: 's' },
    messageId: { path: '/hdr/mid' },
    rules: [
      {
        target: 'reading',
        fields: {
          SOC: { path: '/pack/soc', scale: 1 },
          电流: { path: '/pack/cur' },
          均衡: { path: '/bal', base: 2, bits: [2, 3] },
        },
      },
      {
        target: 'alarm',
        each: { bitsOf: { path: '/pack/flt', base: 16 }, count: 32 },
        when: 'index in [0, 3, 6]',
        fields: {
          code: { index: true, table: { 0: '01210003', 3: '01210004', 6: '01210006' } },
          value: { item: '' },
        },
      },
      {
        target: 'alarm',
        fields: {
          code: { const: '01210005' },
          value: { path: '/pack/prot', base: 16, bits: [0, 15] },
        },
      },
      {
        target: 'compartment',
        each: '/racks/*/mods',
        fields: {
          no: { index: true, offset: 1 },
          voltage: { item: '/0', scale: 0.001 },
          temperature: { item: '/1', scale: 0.1 },
          isLocked: { item: '/2' },
        },
      },
    ],
  }

  test('becomes readings, an alarm for each bit, and compartments', () => {
    const { reports, faults, notes } = understood(given, message)
    expect([faults, notes]).toEqual([[], []])
    expect(reports.map(({ payload }) => (payload as { time?: number }).time)).toEqual(
      reports.map(() => 1_767_225_590_000),
    )
    const alarms = reports.flatMap(({ name, payload }) => {
      const { code, value } = payload as { code?: string; value?: number }
      return name === 'alarm' ? [[code, value]] : []
    })
    expect(alarms).toEqual([
      ['01210003', 1],
      ['01210004', 0],
      ['01210006', 1],
      ['01210005', 2],
    ])
    expect(reports.find(({ name }) => name === 'status')?.payload).toMatchObject({
      status: { SOC: 64.5, 电流: -12.3, 均衡: 1 },
      compartments: [
        { no: 1, voltage: 3.312, temperature: 25.1, isLocked: true },
        { no: 2, voltage: 3.308, temperature: 25.2, isLocked: false },
        { no: 3, voltage: 3.315, temperature: 24.9, isLocked: true },
      ],
    })
    expect(unusedPaths(z.parse(Schema, { format: 'json', ...given }), message)).toEqual([
      '/hdr/fw',
      '/racks/*/no',
    ])
  })

  test('says what it cannot take', () => {
    expect(valueBy({ path: '/v', base: 16 }, { v: 'warm' })).toBe('第 1 条规则：v “warm”不是 16 进制数')
    expect(valueBy({ path: '/v', base: 16 }, { v: 'ff'.repeat(8) })).toContain('超过 53 位')
    expect(valueBy({ path: '/v', base: 16, bits: [60, 63] }, { v: 'f0'.repeat(8) })).toBe(15)
    expect(valueBy({ path: '/v', base: 16 }, { v: '00 A1' })).toBe(161)
    expect(valueBy({ path: '/v', base: 8 }, { v: '0o17' })).toBe(15)
    expect(valueBy({ path: '/v', base: 16 }, { v: 'f'.repeat(65) })).toContain('不是 16 进制数')
    const [, bits] = given.rules
    expect(understood({ rules: [bits as never] }, { pack: { flt: 'none' } }).faults).toEqual([
      '第 1 条规则：“none”不是 16 进制数',
    ])
    expect(
      problemsOf({ rules: [{ ...bits, fields: { code: { const: 'x' }, value: { item: '/0' } } }] as never }),
    ).toEqual(['第 1 条规则：value each 是位时，item 只能是 ""'])
    const many = {
      racks: Array.from({ length: 3 }, () => ({ mods: Array.from({ length: 70 }, () => [1, 2, 0]) })),
    }
    expect(understood({ rules: [given.rules[3] as never] }, many).faults).toEqual([
      '第 1 条规则：列表超过 200 项',
    ])
  })

  test('in bytes the bits of a number are items, too', () => {
    const rule: Given['rules'][number] = {
      target: 'alarm',
      each: { bitsOf: { at: 0, type: 'u16be' }, count: 16 },
      when: 'index >= 14',
      fields: { code: { index: true, table: { 14: 'A', 15: 'B' } }, value: { item: '' } },
    }
    const { reports, faults } = understood({ format: 'binary', rules: [rule] }, Buffer.from([0x80, 0x00]))
    expect(faults).toEqual([])
    expect(reports.map(({ payload }) => payload)).toMatchObject([
      { code: 'A', value: 0 },
      { code: 'B', value: 1 },
    ])
  })

  test.each<[MappingSource, string]>([
    [{ path: '/hdr/ts' }, 'timeUnit": "s"'],
    [{ path: '/ms', timeUnit: 's' }, 'timeUnit": "ms"'],
    [{ path: '/hdr/mid' }, '不可信'],
  ])('a time in the wrong unit is named: %j', (time, words) => {
    const { notes } = understood({ ...given, time }, { ...message, ms: 1_767_225_590_000 })
    expect(notes).toEqual([expect.stringContaining(words)])
  })
})
