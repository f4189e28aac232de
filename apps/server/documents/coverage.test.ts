import { describe, expect, test } from 'vitest'
import { proofsIn } from './coverage.scan.ts'
import { coverageDocument, items, proofs, unknownItems, unproved } from './coverage.ts'

describe('the scan for proofs', () => {
  test('finds the test below a line, with the groups around it', () => {
    const text = [
      "describe('a door', () => {",
      "  describe('that is open', () => {",
      '    // proves: rule a; message 请关门, 谢谢',
      '    // proves: constant c',
      '    // A comment in between.',
      "    it('can be closed', () => {})",
      '  })',
      '',
      "  const lock = () => it('', () => {})",
      '  // proves: rule b',
      "  test.each([['(a', ')'], [`b`, 1]] as const)('has %s', () => {})",
      '})',
    ].join('\n')
    expect(proofsIn(text)).toEqual([
      {
        items: ['rule a', 'message 请关门, 谢谢', 'constant c'],
        test: ['a door', 'that is open', 'can be closed'],
      },
      { items: ['rule b'], test: ['a door', 'has %s'] },
    ])
  })

  test('reads names over several lines, in any quotation marks, with placeholders', () => {
    const text = [
      '// proves: a',
      'it.each(',
      '  endpoints.filter(({ name }) => isMounted(name)),',
      `)(\`$name is \${'open'} to anyone\`, () => {})`,
      '// proves: b',
      `test("the owner's door", () => {})`,
      '// proves: c',
      'it(',
      "  'is open',",
      '  async () => {},',
      ')',
    ].join('\n')
    expect(proofsIn(text).map(({ test }) => test)).toEqual([
      ['$name is … to anyone'],
      ["the owner's door"],
      ['is open'],
    ])
  })

  test('refuses a line that stands above no test', () => {
    expect(() => proofsIn('// proves: rule a\nconst door = 1')).toThrow('rule a')
    expect(() => proofsIn('// proves: rule a')).toThrow('rule a')
  })
})

test('no test proves what the specification does not have', () => {
  expect(unknownItems(proofs())).toEqual([])
})

test('every item of the specification is proved', () => {
  expect(unproved(proofs())).toEqual([])
})

test('every item is called by its kind, and stands in the list once', () => {
  const kinds = /^(screen|route|call|rule|message|constant) [^;]+$/
  expect(items.filter((item) => !kinds.test(item))).toEqual([])
  expect(items.length).toBeGreaterThan(300)
  expect(new Set(items).size).toBe(items.length)
})

test('docs/coverage.md says what the tests say (npm run docs:coverage)', () => {
  const { present, wanted } = coverageDocument()
  expect(present).toBe(wanted)
})
