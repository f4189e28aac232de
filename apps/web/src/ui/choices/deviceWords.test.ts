import { expect, test } from 'vitest'
import { deviceWordsOf, textOfWords } from './deviceWords.ts'

test.each([
  'EC2404000123\nEC2404000124\r\nBT2507000001',
  'EC2404000123，EC2404000124； BT2507000001、EC2404000123',
])('several codes are looked up, each once: %j', (text) => {
  const words = deviceWordsOf(text)
  expect(words).toEqual({ code: ['EC2404000123', 'EC2404000124', 'BT2507000001'], keyword: undefined })
  expect(deviceWordsOf(textOfWords(words))).toEqual(words)
})

test.each(['EC2404000123', '科技路 88号', 'Power Station', 'EC2404000123 东门', '12 34'])(
  'one code, or anything that is no list of codes, is searched for: %s',
  (text) => {
    expect(deviceWordsOf(` ${text} `)).toEqual({ code: undefined, keyword: text })
  },
)

test('nothing is asked for nothing', () => {
  expect(deviceWordsOf('  ')).toEqual({ code: undefined, keyword: undefined })
  expect(textOfWords({ code: undefined, keyword: undefined })).toBe('')
})
