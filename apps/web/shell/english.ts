// The console in English, from the same sources: in place of each table of texts the build takes the English one that
// stands beside it, and what sources say outside of the tables, the contract's labels and messages above all, is put in
// English by the catalogues; so are the marks between them. Nothing of it is in the Chinese build, whose files have not a byte more for it.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sentencesInEnglish as ofContract } from '@voltkeep/contract/english/sentences'
import { type Plugin, parseSync } from 'vite'
import { inEnglish } from '../../../scripts/chinese-literals.mjs'
import { marksInEnglish } from './marks.ts'
import { sentencesInEnglish as ofConsole } from './sentences.ts'

const sentences = { ...ofContract, ...ofConsole }

/** The library's own words: modules by the name that sources import them by. */
const libraries: Record<string, string> = {
  'antd/es/locale/zh_CN.js': 'antd/es/locale/en_US.js',
  'zod/v4/locales/zh-CN.js': 'zod/v4/locales/en.js',
}

/** Where the English of a table stands; undefined for what is no table, or has all of its languages inside. */
export function englishOf(path: string): string | undefined {
  const english = path.endsWith('/lib/texts/zh-CN.ts')
    ? join(dirname(path), 'en.ts')
    : path.replace(/\.texts\.ts$/, '.texts.en.ts')
  return english !== path && existsSync(english) ? english : undefined
}

const isOurs = (id: string) => /\/(?:apps\/web\/src|packages\/contract\/src)\/.*\.tsx?$/.test(id)

const isOfConsole = (path: string) => path.includes('/apps/web/src/')

export function english(): Plugin {
  return {
    name: 'voltkeep-english',
    enforce: 'pre',
    async resolveId(source, importer) {
      const library = libraries[source]
      if (library !== undefined) return this.resolve(library, importer)
      if (importer === undefined || !source.startsWith('.')) return null
      const path = englishOf(join(dirname(importer), source))
      // An English table may take from the Chinese one what has all languages.
      return path === importer ? null : path
    },
    transform(code, id) {
      const [path = ''] = id.split('?')
      if (!isOurs(path)) return null
      const marked = isOfConsole(path) ? marksInEnglish(code) : code
      const english = /\p{Script=Han}/u.test(marked)
        ? inEnglish(
            marked,
            parseSync(path, marked, { lang: path.endsWith('x') ? 'tsx' : 'ts' }).program,
            sentences,
          )
        : null
      return english ?? (marked === code ? null : marked)
    },
    transformIndexHtml: {
      order: 'pre',
      handler: (html) =>
        html
          .replace('<html lang="zh-CN">', '<html lang="en">')
          .replace(/<noscript>.*<\/noscript>/, '<noscript>This application needs JavaScript.</noscript>'),
    },
  }
}
