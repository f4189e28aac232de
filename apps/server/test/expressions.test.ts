// Regular expressions that take more than in proportion to a text hold the whole process, whoever sends the text. Each literal
// is judged by scslre, which finds what a repeated character does to it: quantifiers that share characters, and beginnings
// that are found at every place. It does not find what takes a repeated word (`BEGIN[^]*?END` over many `BEGIN`), and reads no
// expression that is put together: those have a list here, each with the reason why it is harmless.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from '@swc/core'
import { analyse } from 'scslre'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
/** Of the console what shows texts of others; `app` and `shell` read the page's own address. */
const folders = '{apps/server/src,apps/simulator/src,packages/contract/src,apps/web/src/{features,lib,ui}}'
const sources = globSync(`${folders}/**/*.{ts,tsx}`, { cwd: root })
  .filter((path) => !/\.(test|spec)\.tsx?$/.test(path))
  .sort()

const putTogether: Readonly<Record<string, string>> = {
  'apps/server/src/features/api-keys/secrets.ts': 'of a fixed length, from the beginning',
  'apps/server/src/features/firmware/package-name.ts': 'parts that are told apart by _, from the beginning',
  'apps/server/src/features/mappings/engine/unused.ts': 'words that are told apart by points',
  'apps/server/src/platform/database/operation-log.ts': 'one class, repeated',
  'apps/server/src/platform/database/schema/catalog.ts': 'reads the own schema',
  'apps/server/src/platform/database/schema/table-types.ts': 'reads the own types',
  'apps/server/src/platform/http/language.ts': 'blanks between two words, from the beginning',
  'apps/server/src/platform/process/tls/files.ts': 'reads files of the installation',
  'packages/contract/src/codes.ts': 'one class, repeated',
  'packages/contract/src/topics/commands.ts': 'of a fixed length, from the beginning',
  'apps/web/src/features/logs/viewer/text/levels.ts': 'reads 160 characters of a line',
  'apps/web/src/features/logs/viewer/text/search.ts': 'looks for a text as it is typed',
  'apps/web/src/features/logs/viewer/text/times.ts': 'reads 64 characters of a line',
  'apps/web/src/ui/choices/deviceWords.ts': 'one class, repeated',
  'apps/web/src/ui/list/filter/codes.ts': 'reads what its user types or pastes',
}

interface Literal {
  pattern: string
  flags: string
}

function expressionsIn(text: string, tsx: boolean): { literals: Literal[]; isPutTogether: boolean } {
  const literals: Literal[] = []
  let isPutTogether = false
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, pattern, flags, callee } = node as Literal & { type?: string; callee?: { value?: string } }
    if (type === 'RegExpLiteral') literals.push({ pattern, flags })
    if ((type === 'NewExpression' || type === 'CallExpression') && callee?.value === 'RegExp')
      isPutTogether = true
    for (const below of Object.values(node)) walk(below)
  }
  walk(parseSync(text, { syntax: 'typescript', tsx, target: 'es2024' }))
  return { literals, isPutTogether }
}

/** What a repeated character does, in words; empty where it does nothing. */
const faultsOf = ({ pattern, flags }: Literal): string[] =>
  analyse({ source: pattern, flags }).reports.map(
    ({ character, exponential }) =>
      `${exponential ? 'exponential' : 'more than linear'} by many /${character.literal.source}/`,
  )

describe('an expression', () => {
  test.each([
    [/T.*[+-]\d\d$/, true],
    [/^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i, true],
    [/\s*[/／>＞]\s*/g, true],
    [/^(a+)+$/, true],
    [/\/+$/, true],
    [/(?<!\/)\/+$/, false],
    [/^[\w.-]+(\/[\w.-]+)*$/, false],
  ])('%s: superlinear %s', ({ source, flags }, isFault) => {
    expect(faultsOf({ pattern: source, flags }).length > 0).toBe(isFault)
  })
})

test('no expression takes more than in proportion to its text', () => {
  const faults: string[] = []
  const found: string[] = []
  let count = 0
  for (const path of sources) {
    const text = readFileSync(join(root, path), 'utf8')
    const { literals, isPutTogether } = expressionsIn(text, path.endsWith('x'))
    if (isPutTogether) found.push(path)
    for (const literal of literals) {
      count += 1
      const whole = `/${literal.pattern}/${literal.flags}`
      const line = text.slice(0, text.indexOf(whole)).split('\n').length
      faults.push(...faultsOf(literal).map((fault) => `${path}:${line} ${whole} ${fault}`))
    }
  }
  expect(faults).toEqual([])
  expect(count).toBeGreaterThan(300)
  expect(found.sort()).toEqual(Object.keys(putTogether).sort())
})
