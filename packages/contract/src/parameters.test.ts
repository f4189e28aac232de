import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import {
  contactName,
  describeParameterValue,
  isSameParameterValue,
  lamps,
  lampsOf,
  normalParameterValue,
  ParameterEntry,
  parameterCatalogue,
  wireParameterValue,
} from './parameters.ts'

const problem = (id: string, value: unknown) => {
  const read = z.safeParse(ParameterEntry, { id, value })
  return read.success ? null : `${read.error.issues[0]?.path.join('.')} ${read.error.issues[0]?.message}`
}

// proves: rule parameter 02121001; rule parameter 02121005; rule parameter 02121006; rule parameter 02121007
// proves: rule parameter 02121008; rule parameter 02121009; rule parameter 02121010; rule parameter 02121011
it('each parameter has its number and its name', () => {
  expect(parameterCatalogue.map(({ id, name }) => `${id} ${name}`)).toEqual([
    '02121001 门锁反馈信号1',
    '02121002 门锁反馈信号2',
    '02121003 门锁反馈信号3',
    '02121004 门锁反馈信号4',
    '02121005 仓位满电SOC',
    '02121006 过温点',
    '02121007 灭火器反馈',
    '02121008 仓位在位反馈',
    '02121009 指示灯闪烁时长',
    '02121010 指示灯颜色编码',
    '02121011 平台IP和端口',
  ])
})

// proves: rule parameter 02121001; rule parameter 02121005; rule parameter 02121006; rule parameter 02121007
// proves: rule parameter 02121008; rule parameter 02121009; rule parameter 02121010; rule parameter 02121011
describe('a parameter entry', () => {
  it.each([
    ['02121001', 0],
    ['02121004', '1'],
    ['02121007', true],
    ['02121005', 0],
    ['02121005', '100'],
    ['02121006', 60],
    ['02121009', '500'],
    ['02121010', '0123456'],
    ['02121010', '8888888'],
    ['02121011', '10.20.0.8:1883'],
    ['02121011', 'mqtt.example.com:65535'],
  ])('%s accepts %j', (id, value) => {
    expect(problem(id, value)).toBeNull()
  })

  it.each([
    ['02121001', 2, 'value 门锁反馈信号1只能是 0（常开）或 1（常闭）'],
    ['02121008', '', 'value 仓位在位反馈只能是 0（常开）或 1（常闭）'],
    ['02121005', 101, 'value 仓位满电SOC应为 0 到 100 的整数，单位 %'],
    ['02121005', -1, 'value 仓位满电SOC应为 0 到 100 的整数，单位 %'],
    ['02121005', '8.5', 'value 仓位满电SOC应为 0 到 100 的整数，单位 %'],
    ['02121006', 29, 'value 过温点应为 30 到 90 的整数，单位 ℃'],
    ['02121009', 10_001, 'value 指示灯闪烁时长应为 100 到 10000 的整数，单位 ms'],
    ['02121010', '123456', 'value 指示灯颜色编码应为 7 位数字，每位 0 到 8'],
    ['02121010', '1234569', 'value 指示灯颜色编码应为 7 位数字，每位 0 到 8'],
    ['02121011', '10.20.0.256:1883', 'value 平台IP和端口格式应为 ip:port，端口 1 到 65535'],
    ['02121011', '10.20.0:1883', 'value 平台IP和端口格式应为 ip:port，端口 1 到 65535'],
    ['02121011', '10.20.0.8:0', 'value 平台IP和端口格式应为 ip:port，端口 1 到 65535'],
    ['02121011', '10.20.0.8:65536', 'value 平台IP和端口格式应为 ip:port，端口 1 到 65535'],
    ['02121011', '-a.example:80', 'value 平台IP和端口格式应为 ip:port，端口 1 到 65535'],
    ['02121012', 1, 'id 参数编号不存在'],
    ['02121005', undefined, 'value 参数值不能为空'],
    ['02121005', [85], 'value 参数值不能为空'],
  ])('%s refuses %j', (id, value, message) => {
    expect(problem(id, value)).toBe(message)
  })

  it('is sent as a number where it is one, and is equal when the device reports it', () => {
    expect(wireParameterValue('02121005', '85')).toBe(85)
    expect(wireParameterValue('02121001', '1')).toBe(1)
    expect(wireParameterValue('02121010', '0123456')).toBe('0123456')
    expect(wireParameterValue('02121011', '10.20.0.8:1883')).toBe('10.20.0.8:1883')
  })
})

describe('values are compared by what they mean', () => {
  it.each([
    ['85', 85],
    ['85', '85.0'],
    ['85', ' 085 '],
    [1, true],
    ['0', false],
    ['0222220', 222_220],
    ['-0', 0],
    ['MQTT.example.com:1883', 'mqtt.example.com:1883'],
  ])('%j equals %j', (a, b) => {
    expect(isSameParameterValue(a, b)).toBe(true)
  })

  it.each([
    ['85', '86'],
    ['8', '80'],
    ['1', '-1'],
    ['1.5', '15'],
    ['0222220', '2222200'],
    ['10.20.0.8:1883', '10.20.0.8:1884'],
    ['', '0'],
  ])('%j differs from %j', (a, b) => {
    expect(isSameParameterValue(a, b)).toBe(false)
  })

  it('and normalization is idempotent', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.stringMatching(/^-?\d{0,5}\.?\d{0,4}$/)),
        (value) => {
          const normal = normalParameterValue(value)
          expect(normalParameterValue(normal)).toBe(normal)
        },
      ),
    )
  })
})

// proves: rule lamp codes; rule door feedback
describe('values in words', () => {
  it('name the contact of a door signal', () => {
    expect([contactName('0'), contactName(1), contactName(false), contactName('2')]).toEqual([
      '常开',
      '常闭',
      '常开',
      null,
    ])
  })

  it('name the state of each lamp', () => {
    expect(lamps.map(({ code, name, color, isBlinking }) => [code, name, color, isBlinking])).toEqual([
      [0, '熄灭', null, false],
      [1, '红灯常亮', 'red', false],
      [2, '绿灯常亮', 'green', false],
      [3, '蓝灯常亮', 'blue', false],
      [4, '黄灯常亮', 'yellow', false],
      [5, '红灯闪烁', 'red', true],
      [6, '绿灯闪烁', 'green', true],
      [7, '蓝灯闪烁', 'blue', true],
      [8, '黄灯闪烁', 'yellow', true],
    ])
  })

  it('parse a lamp code, also one reported as a number, and nothing else', () => {
    expect(lampsOf('0123456')?.map(({ code }) => code)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(lampsOf(123_456)?.map(({ code }) => code)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(lampsOf('01234569')).toBeNull()
    expect(lampsOf('012345x')).toBeNull()
  })

  it('have units, and are unchanged for an unknown parameter', () => {
    expect(parameterCatalogue).toHaveLength(11)
    expect(describeParameterValue('02121005', 85)).toBe('85%')
    expect(describeParameterValue('02121006', '60')).toBe('60℃')
    expect(describeParameterValue('02121001', '1')).toBe('常闭')
    expect(describeParameterValue('02121001', 'x')).toBe('x')
    expect(describeParameterValue('02121010', '1000008')).toBe(
      '电源指示灯红灯常亮、网络指示灯熄灭、充电指示灯熄灭、满电指示灯熄灭、换电指示灯熄灭、告警指示灯熄灭、消防指示灯黄灯闪烁',
    )
    expect(describeParameterValue('99999999', 'x')).toBe('x')
  })
})
