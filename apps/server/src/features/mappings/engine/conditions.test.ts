import { Environment } from '@marcbachmann/cel-js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileCondition } from './conditions.ts'
import { contextOf } from './context.ts'
import { Fault } from './fault.ts'

const message = { a: 1, b: 2.5, s: 'open door', flag: true, nothing: null, list: [1, 2, 3], deep: { x: 'y' } }
const holds = (text: string, more: object = {}) =>
  compileCondition(text).holds(contextOf({ message, parts: { kind: 'alarm' }, ...more }))

describe('a condition', () => {
  test.each([
    ['msg.a == 1', true],
    ['msg.a == 1u', true],
    ['msg.a != 1 || msg.b > 2', true],
    ['msg.b * 2 - 1 == 4 && -msg.a < 0', true],
    ['msg.a % 2 == 0', false],
    ['msg["a"] == 1 && msg.list[2] == 3', true],
    ['topic.kind in ["alarm", "event"]', true],
    ['3 in msg.list && "x" in msg.deep', true],
    ['has(msg.deep.x) && !has(msg.deep.z)', true],
    ['msg.flag ? msg.s.startsWith("open") : false', true],
    ['msg.s.endsWith("door") && msg.s.contains(" ")', true],
    ['size(msg.list) >= 3 && size(msg.s) == 9', true],
    ['msg.nothing == null', true],
    ['msg.a == "1"', false],
    ['string(msg.a) == "1" && int("7") == 7 && double("2.5") == msg.b', true],
    ['"a" < "b" && 2 <= 2', true],
  ])('%s is %s', (text, expected) => {
    expect(holds(text)).toBe(expected)
  })

  test('may look at bytes, and at the item of a list', () => {
    expect(holds('bytes[0] == 0x68 && size(bytes) == 2', { bytes: Buffer.from([0x68, 1]) })).toBe(true)
    expect(holds('item.x == 1 && index == 4', { item: { x: 1 }, index: 4 })).toBe(true)
  })

  test.each([
    ['msg.missing == 1', '报文中没有 missing'],
    ['msg.a.b == 1', '报文中没有 b'],
    ['msg.constructor == 1', '报文中没有 constructor'],
    ['msg.list[9] == 1', '报文中没有 9'],
    ['msg.s > 1', '条件中只能比较两个数字或两段文本的大小'],
    ['msg.s + 1 == 2', '条件中只能用数字计算'],
    ['msg.list == msg.list', '条件中不能比较列表或对象'],
    ['msg.a', '条件的结果不是真或假'],
    ['int(msg.s) == 1', '条件中转换的不是数字'],
  ])('%s has a fault and no result', (text, fault) => {
    expect(holds(text)).toEqual(new Fault(fault))
  })

  test('is decided by one side, whatever is wrong with the other one', () => {
    for (const text of ['msg.a == 1 || msg.x == 1', 'msg.x == 1 || msg.a == 1'])
      expect(holds(text)).toBe(true)
    for (const text of ['msg.a == 2 && msg.x == 1', 'msg.x == 1 && msg.a == 2'])
      expect(holds(text)).toBe(false)
  })

  test.each([
    ['msg.list.map(x, x * 2)', '条件不支持 .map()'],
    ['msg.list.exists(x, x == 1)', '条件不支持 .exists()'],
    ['msg.s.matches("(a+)+$")', '条件不支持 .matches()'],
    ['msg.s.contains(msg.s)', '.contains() 中应为一段文字'],
    ['[1, 2] == msg.list', '条件不支持 单独的列表'],
    ['{"a": 1}.a == 1', '条件不支持 map'],
    ['process.exit()', '条件不支持 .exit()'],
    ['globalThis == 1', '条件中只能用 msg、topic、item、index、bytes，没有 globalThis'],
    ['timestamp("2026-01-01T00:00:00Z") == 1', '条件不支持 timestamp()'],
    ['msg.a ==', '条件有语法错误，在第 9 个字符处'],
    [Array(200).fill('1').join('+'), '条件过长或嵌套过深'],
    [`${'('.repeat(40)}1${')'.repeat(40)}`, '条件过长或嵌套过深'],
  ])('%s is refused', (text, problem) => {
    expect(() => compileCondition(text)).toThrow(problem)
  })

  test('has the result that the library has, for whatever both can work out', () => {
    const environment = new Environment({ unlistedVariablesAreDyn: true })
    const number = fc.oneof(
      fc.constantFrom('msg.p', 'msg.q'),
      fc.integer({ min: -9, max: 9 }).map((value) => (value < 0 ? `(${value}.0)` : `${value}.0`)),
    )
    const simple = fc.oneof(
      fc
        .tuple(number, fc.constantFrom('==', '!=', '<', '<=', '>', '>='), number)
        .map((parts) => parts.join(' ')),
      fc.constantFrom(
        'msg.t',
        'has(msg.p)',
        'has(msg.none)',
        'msg.w.startsWith("a")',
        'msg.w in ["a", "b"]',
        'size(msg.w) > 1',
      ),
    )
    const expression = fc.letrec<{ e: string }>((tie) => ({
      e: fc.oneof(
        { depthSize: 'small' },
        simple,
        fc.tuple(tie('e'), fc.constantFrom('&&', '||'), tie('e')).map(([a, by, b]) => `(${a}) ${by} (${b})`),
        tie('e').map((inner) => `!(${inner})`),
        fc.tuple(tie('e'), tie('e'), tie('e')).map(([a, b, c]) => `(${a}) ? (${b}) : (${c})`),
      ),
    })).e
    const given = fc.record({
      p: fc.integer({ min: -9, max: 9 }),
      q: fc.double({ min: -9, max: 9, noNaN: true }),
      t: fc.boolean(),
      w: fc.constantFrom('a', 'ab', 'b', ''),
    })
    fc.assert(
      fc.property(expression, given, (text, msg) => {
        let ours: ReturnType<typeof compileCondition>
        try {
          ours = compileCondition(text)
        } catch {
          // More nodes than a condition may have.
          return
        }
        expect(ours.holds(contextOf({ message: msg }))).toBe(environment.evaluate(text, { msg }))
      }),
      { numRuns: 500 },
    )
  })
})
