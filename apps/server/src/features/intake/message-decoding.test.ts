import { maxPayloadBytes, type UpTopicName } from '@voltkeep/contract/topics/index'
import { describe, expect, test } from 'vitest'
import { decode } from './message-decoding.ts'

const head = { id: 'm1', time: 1_767_225_600_000 }
const told = (name: UpTopicName, payload: object | Buffer) => {
  const decoded = decode(name, Buffer.isBuffer(payload) ? payload : Buffer.from(JSON.stringify(payload)))
  return 'reason' in decoded ? [decoded.reason, decoded.detail] : decoded.payload
}

describe('what a wrong report costs is bounded', () => {
  const names = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [n, []]))
  test.each([
    ['status', { ...head, status: names }, 'status最多 100 项'],
    ['event', { ...head, code: 'A1', data: names }, 'data最多 100 项'],
    [
      'parameter',
      { ...head, parameters: Array.from({ length: 200 }, () => 7) },
      Array.from({ length: 10 }, (_, n) => `parameters[${n}]应为对象`).join('；'),
    ],
  ] as const)('of a %s', (name, payload, detail) => {
    expect(told(name, payload)).toEqual(['badPayload', detail])
  })
})

describe('problems of a payload are described in Chinese', () => {
  test.each([
    ['a missing field', 'alarm', { code: 'A1' }, '缺少id；缺少time；缺少value'],
    [
      'a field of the wrong type',
      'alarm',
      { id: 5, time: 'now', code: null, value: '5' },
      'id应为文本；time应为毫秒时间戳；code应为文本；value应为非负整数',
    ],
    [
      'a time in seconds',
      'alarm',
      { ...head, time: 1_767_225_600, code: 'A1', value: 1 },
      'time应为毫秒时间戳',
    ],
    ['digits in quotes', 'alarm', { ...head, code: 'A1', value: '9'.repeat(20) }, 'value应为非负整数'],
    ['a fraction', 'alarm', { ...head, code: 'A1', value: 1.5 }, 'value应为非负整数'],
    ['a negative number', 'alarm', { ...head, code: 'A1', value: -1e17 }, 'value应为非负整数'],
    [
      'a number beyond the largest',
      'alarm',
      { ...head, code: 'A1', value: 9_007_199_254_740_992 },
      'value不能超过9007199254740991',
    ],
    [
      'a place in a list',
      'version',
      {
        ...head,
        versions: [{ partType: 'A', version: '1' }, { partType: 'A' }, { partType: '', version: 5 }, 7],
      },
      '缺少versions[1].version；versions[2].partType不能为空；versions[2].version应为文本；versions[3]应为对象',
    ],
    [
      'a parameter',
      'parameter',
      { ...head, parameters: [{ id: 'x'.repeat(51), value: [] }] },
      'parameters[0].id长度不能超过 50；parameters[0].value应为文本、数字或布尔值',
    ],
    [
      'a name in a map',
      'event',
      { ...head, code: 'E1', data: { a: [1], b: 'x'.repeat(201) } },
      'data.a应为文本、数字或布尔值；data.b长度不能超过 200',
    ],
    [
      'a name that is too long',
      'event',
      { ...head, code: 'E1', data: { ['n'.repeat(65)]: 1 } },
      `data.${'n'.repeat(65)}的名称长度不能超过 64`,
    ],
    ['a map that is none', 'status', { ...head, status: [] }, 'status应为对象'],
    [
      'each field of a compartment',
      'status',
      { ...head, status: {}, compartments: [{ no: 1 }, { no: 70, soc: 300 }, { soc: 5 }] },
      'compartments[1].no应为 1 到 64 的整数；compartments[1].soc应为 0 到 100 的数字；缺少compartments[2].no',
    ],
    [
      'a compartment that comes twice',
      'status',
      { ...head, status: {}, compartments: [{ no: 3 }, { no: 3 }] },
      'compartments含有重复的仓位',
    ],
  ] as const)('%s', (_, name, payload, detail) => {
    expect(told(name, payload)).toEqual(['badPayload', detail])
  })

  test('an empty, wrongly encoded, broken, non-object or too large payload is described', () => {
    expect(told('event', Buffer.alloc(0))).toEqual(['notJson', '报文为空'])
    // 温度 in GBK.
    const gbk = Buffer.concat([
      Buffer.from('{"id":"'),
      Buffer.from([0xce, 0xc2, 0xb6, 0xc8]),
      Buffer.from('"}'),
    ])
    expect(told('event', gbk)).toEqual(['notJson', '报文不是 UTF-8 编码'])
    expect(told('event', Buffer.from('{"id":"broken'))).toEqual(['notJson', 'JSON 语法错误'])
    expect(told('event', Buffer.from('[1]'))).toEqual(['badPayload', '报文应为 JSON 对象'])
    expect(told('event', Buffer.alloc(maxPayloadBytes + 1))).toEqual([
      'tooLarge',
      '报文 65537 字节，上限 65536 字节',
    ])
  })
})

test('the largest value is accepted', () => {
  const payload = { ...head, code: 'A1', value: Number.MAX_SAFE_INTEGER }
  expect(told('alarm', payload)).toEqual(payload)
})
