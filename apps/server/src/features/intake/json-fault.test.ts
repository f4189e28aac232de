import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonFault } from './json-fault.ts'

test.each([
  ['{"a":1,}', '第 8 个字符处'],
  ['abc', '第 1 个字符处'],
  ['{"a":x}', '第 6 个字符处'],
  ['{"a":1}}', '第 8 个字符处'],
  ['{"a":"b\n"}', '第 8 个字符处'],
  ['{"a":"\\x"}', '第 8 个字符处'],
  ['{"a":01}', '第 7 个字符处'],
  ["{'a':1}", '第 2 个字符处'],
  ['{"a":NaN}', '第 6 个字符处'],
  [`{"a":"${'字'.repeat(20_000)}",,}`, '第 20009 个字符处'],
  ['{', '内容不完整'],
  ['nul', '内容不完整'],
  ['{"id":"broken', '内容不完整'],
  ['{"a":1', '内容不完整'],
])('%#: the first character that nothing can follow from is named', (text, fault) => {
  expect(jsonFault(text)).toBe(fault)
})

test('every beginning of JSON is incomplete, and a character that cannot follow is found wherever it is', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, n) => {
      const text = JSON.stringify(value)
      const cut = text.slice(0, n % text.length)
      expect(jsonFault(cut)).toBe('内容不完整')
      expect(jsonFault(`${text}!`)).toBe(`第 ${text.length + 1} 个字符处`)
    }),
  )
})
