// No Chinese outside of the tables: whatever the console's sources, the contract and the server say has its English, in
// the table beside it or in a catalogue.
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sentencesInEnglish as ofContract } from '@voltkeep/contract/english/sentences'
import { expect, test } from 'vitest'
import { chineseLiterals, inEnglish } from '../../../scripts/chinese-literals.mjs'
import { sentencesInEnglish as ofConsole } from '../../web/shell/sentences.ts'
import { sentencesInEnglish as ofServer } from '../src/platform/process/language/english.ts'

const root = join(import.meta.dirname, '../../..')
const vite = createRequire(join(root, 'apps/web/package.json')).resolve('vite')
const { parseSync } = (await import(pathToFileURL(vite).href)) as {
  parseSync: (path: string, code: string, options: { lang: 'ts' | 'tsx' }) => { program: unknown }
}
const parsed = (path: string, code: string) =>
  parseSync(path, code, { lang: path.endsWith('x') ? 'tsx' : 'ts' }).program

interface Part {
  files: string
  /** Tables, data that an installation starts with, words that are looked for and not said. */
  except: RegExp
  catalogues: Readonly<Record<string, string>>[]
  /** Neither said nor shown. */
  unsaid: readonly string[]
}

const parts: Record<string, Part> = {
  console: {
    files: 'apps/web/src/**/*.{ts,tsx}',
    except: /\.test\.|\.texts\.ts$|\/zh-CN\.ts$|site\/(?:agreements|privacy)\.ts$|logs\/viewer\/text\//,
    catalogues: [ofContract, ofConsole],
    // A unit; the name of Chinese in itself.
    unsaid: ['次', '中文'],
  },
  contract: {
    files: 'packages/contract/src/**/*.ts',
    except: /\.test\.|\/refusals\.ts$|\/english\//,
    catalogues: [ofContract],
    // The ending of a word that is looked for.
    unsaid: ['号'],
  },
  server: {
    files: 'apps/server/src/**/*.ts',
    except:
      /\.test\.|\.seeds\.ts$|alarm-semaphores|fixed-codes|menu-seeds|\/demo|generate-regions|http\/documents\/|language\/english|process\/(?:config|startup-texts|data-dir)\.ts$/,
    catalogues: [ofContract, ofServer],
    // Parts of SQL and of a search for a word.
    unsaid: ['过多', "{0}.created_by_name || coalesce('（' || {1}.approved_by_name || ' 同意）', '')"],
  },
}

test.each(Object.entries(parts))('%s: every Chinese text has its English', (_, part) => {
  const found: string[] = []
  let looked = 0
  for (const path of globSync(part.files, { cwd: root })) {
    if (part.except.test(path)) continue
    const code = readFileSync(join(root, path), 'utf8')
    if (!/\p{Script=Han}/u.test(code)) continue
    for (const { key, isPaired, isSql } of chineseLiterals(parsed(path, code))) {
      looked += 1
      if (isPaired || isSql || part.unsaid.includes(key)) continue
      if (!part.catalogues.some((catalogue) => Object.hasOwn(catalogue, key))) found.push(`${path}: ${key}`)
    }
  }
  expect(found).toEqual([])
  expect(looked).toBeGreaterThan(10)
})

test('what is put into a sentence is put into its English', () => {
  for (const [chinese, english] of Object.entries({ ...ofContract, ...ofConsole, ...ofServer })) {
    const slots = (text: string) => [...new Set(text.match(/\{\d\}/g))].sort()
    expect(slots(english), chinese).toEqual(slots(chinese))
    expect(english.replaceAll('深圳市/南山区', ''), chinese).not.toMatch(/\p{Script=Han}/u)
  }
})

test('a planted text is seen, and its English put in its place', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a source.
  const code = 'const a = `共 ${n} 台${more("设备")}`; const b = { zh: "甲", en: "A" }; const c = <p>告警</p>'
  const program = parsed('planted.tsx', code)
  expect(chineseLiterals(program).map(({ key, isPaired }) => [key, isPaired])).toEqual([
    ['共 {0} 台{1}', false],
    ['设备', false],
    ['甲', true],
    ['告警', false],
  ])
  expect(inEnglish(code, program, { '共 {0} 台{1}': '{1}: {0} in all', 设备: 'device', 告警: 'Alarm' })).toBe(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a source.
    'const a = `${more("device")}: ${n} in all`; const b = { zh: "甲", en: "A" }; const c = <p>Alarm</p>',
  )
})
