import { expect, test } from 'vitest'
import { marksInEnglish } from './marks.ts'

test.each([
  ["names.join('、')", "names.join(', ')"],
  ["reasons.join('；')", "reasons.join('; ')"],
  ["{at > 0 && '、'}", "{at > 0 && ', '}"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a source
  ['`${name}（${code}）`', '`${name} (${code})`'],
  ['{words.failed}：{error.message}', '{words.failed}: {error.message}'],
  ['{told}（{often}）', '{told} ({often})'],
  // What takes apart what the server says is no text.
  ["meaning.split('、')", "meaning.split('、')"],
])('%s is %s', (chinese, english) => {
  expect(marksInEnglish(chinese)).toBe(english)
})
