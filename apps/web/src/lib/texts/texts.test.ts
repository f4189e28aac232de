import { globSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { packageNameConvention, parameterCatalogue } from '@voltkeep/contract'
import { expect, test } from 'vitest'

const web = join(import.meta.dirname, '../..')
const contract = join(web, '../../../packages/contract/src')
/** Has the same names, and reads none. */
const isEnglish = (path: string) => path.endsWith('.texts.en.ts') || path.endsWith('texts/en.ts')
const read = (folder: string) =>
  globSync('**/*.{ts,tsx}', { cwd: folder })
    .filter((path) => !path.includes('.test.') && !isEnglish(path))
    .map((path) => ({ path: join(folder, path), source: readFileSync(join(folder, path), 'utf8') }))
const isTexts = (path: string) => path.endsWith('.texts.ts') || path.endsWith('zh-CN.ts')
const isShared = (path: string) => path.startsWith(join(web, 'ui')) || path.startsWith(join(web, 'lib'))
/** A name that a programmer gave; codes of devices, jobs and the like are looked up by what the server says. */
const isName = (key: string) => /^[a-z][a-zA-Z]*$/.test(key)
/** Of a file of texts: what it says of others, without its own keys. */
const withoutKeys = (source: string) => source.replace(/^\s*\w+:/gm, '')

/** The names in a tree of texts, each with its way there. */
function* namesIn(value: unknown, way: string): Generator<[name: string, way: string]> {
  if (value === null || typeof value !== 'object') return
  for (const [key, below] of Object.entries(value)) {
    if (isName(key)) yield [key, `${way}.${key}`]
    yield* namesIn(below, `${way}.${key}`)
  }
}

test('no text is kept that nobody reads', async () => {
  const files = read(web)
  const wordsOf = (source: string): ReadonlySet<string> => new Set(source.match(/\w+/g))
  const codes = wordsOf(
    read(contract)
      .map(({ source }) => source)
      .join('\n'),
  )
  const all = files.map(({ path, source }) => ({
    path,
    words: wordsOf(isTexts(path) ? withoutKeys(source) : source),
  }))
  const dead: string[] = []
  for (const { path } of files.filter((file) => isTexts(file.path))) {
    const readers = all.filter(
      (file) => isShared(path) || isShared(file.path) || file.path.startsWith(dirname(path) + sep),
    )
    for (const [name, texts] of Object.entries((await import(path)) as object)) {
      for (const [key, way] of namesIn(texts, name))
        if (!codes.has(key) && !readers.some(({ words }) => words.has(key))) dead.push(way)
    }
  }
  expect(dead).toEqual([])
})

// The specification's own sentences, to the letter.
const quoted = [
  /^地区最多选择(?:3|\$\{mostRegions\})个$/,
  /^设备类型、运营商、地区至少选1个$/,
  /^长度在6到20个字之间$/,
  /^密码必须由大写字母、小写字母、数字、特殊符号中的2种及以上类型组成!$/,
  // Of any text that is too long.
  /长度不能超过(?:\d+|\$\{\w+\})个字符$/,
]

/** The literals of a source without its comments, what is put into them as ￼. */
function literalsOf(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
  return (code.match(/'[^'\n]*'|`[^`]*`/g) ?? [])
    .map((literal) => literal.slice(1, -1))
    .filter((literal) => /\p{Script=Han}/u.test(literal))
}

const numbers =
  /\$\{(?:count|days|limit|rows|hours|seconds|minutes|total|min|max|most|done|all|versions|\w+Limit|\w+AtMost|\w+PerDay)\}/g
/** What is counted by the word behind it is a number, whatever it is called. */
const counted = /\$\{[\w.]+\}(?=[个台条项级行位](?!字符))/g

/** Where Chinese and Latin letters or digits touch. */
function tightIn(files: readonly { path: string; source: string }[]): string[] {
  const tight: string[] = []
  for (const { path, source } of files) {
    for (const literal of literalsOf(source)) {
      if (quoted.some((sentence) => sentence.test(literal))) continue
      // A number that is put in reads like a digit; what else is put in may be Chinese.
      const text = literal
        .replaceAll('\\n', ' ')
        .replace(numbers, '0')
        .replace(counted, '0')
        .replace(/\$\{[^}]*\}/g, '￼')
      if (/\p{Script=Han}[A-Za-z0-9]|[A-Za-z0-9](?!号)\p{Script=Han}/u.test(text))
        tight.push(`${path}: ${literal}`)
    }
  }
  return tight
}

test('Chinese and Latin letters or digits are a space apart in every text of the pages', () => {
  const texts = read(web).filter((file) => isTexts(file.path) || file.path.endsWith('.words.ts'))
  expect(tightIn(texts)).toEqual([])
})

test('and in what the server says', () => {
  const server = join(web, '../../server/src')
  // Names of what devices have and report are written as the trade writes them: BMS通讯中断, 8仓换电柜, 门锁反馈信号1.
  const hasNames = (path: string) =>
    /\.seeds\.ts$|alarm-semaphores\.ts$|english\/(?:seeds|meanings)\.ts$/.test(path)
  const sources = [...read(contract), ...read(server)].filter(({ path }) => !hasNames(path))
  const parameters: readonly { name: string }[] = parameterCatalogue
  const names = [...parameters.map(({ name }) => name), packageNameConvention]
  const isName = (tight: string) => names.some((name) => tight.endsWith(`: ${name}`))
  expect(tightIn(sources).filter((tight) => !isName(tight))).toEqual([])
})

// One word for one thing, as an operations team says it; what it is said instead of, and where that is right all the same.
const oneWord: [said: RegExp, instead: string, except?: RegExp][] = [
  [/登陆|帐号|帐户/, '登录、账号'],
  [/用户名(?!称)/, '登录名', /数据库|DATABASE_URL|客户端标识|设备编号/],
  [/用户名称/, '姓名', /userName/],
  [/看得到|看不到/, '可见、不可见'],
  [/应答时间|应答耗时/, '响应耗时'],
  [/未应答|已应答/, '未响应、已响应'],
  [/报文开头/, '报文片段'],
  [/承担的工作/, '服务角色'],
  [/换一个(?:文件|密码)/, '重新选择、重新生成'],
  [/沿用类型/, '继承类型'],
  [/机柜|柜子/, '换电柜、设备', /purpose/],
  [/掉线|设备.{0,6}下线/, '离线、断开', /互相挤下线/],
  [/已清除告警|已消除|已解除/, '已恢复'],
]

test('one thing has one name, in the pages and in what the server says', () => {
  const server = join(web, '../../server/src')
  const found: string[] = []
  for (const { path, source } of [...read(web), ...read(contract), ...read(server)]) {
    // A catalogue repeats what others say.
    if (path.includes('/english')) continue
    for (const line of source.split('\n')) {
      if (/^\s*(?:\/\/|\/?\*)/.test(line)) continue
      for (const [wrong, right, except] of oneWord) {
        if (wrong.test(line) && !except?.test(line)) found.push(`${path}: ${right}, not ${line.trim()}`)
      }
    }
  }
  expect(found).toEqual([])
})
