// Which values of a message no rule reads: what somebody who writes a mapping may have overlooked.
import type { MappingDocument, MappingSource } from '@voltkeep/contract'
import { tokensOf } from './sources.ts'

const mostPaths = 100
/** Comparisons of one message's paths with those that are used: what is left then is not told. */
const mostComparisons = 500_000
const anyItem = '*'

/** Pointers to the scalars of a message that nothing of the document names; lists by `*`. */
export function unusedPaths({ rules, time, messageId }: MappingDocument, message: unknown): string[] {
  const used = new Set<string>()
  const use = (tokens: readonly string[]) =>
    used.add(tokens.map((token) => (/^\d+$/.test(token) ? anyItem : token)).join('/'))
  const namedIn = (text: string, variable: string) =>
    [...text.matchAll(new RegExp(`\\b${variable}((?:\\.\\w+)+)`, 'g'))].map(([, path = '']) =>
      path.split('.').slice(1),
    )
  for (const source of [time, messageId]) if (source?.path !== undefined) use(tokensOf(source.path))
  for (const { each, fields, time: own, when = '' } of rules) {
    const items = typeof each === 'string' ? [...tokensOf(each), anyItem] : []
    const ofBits: MappingSource[] = typeof each === 'object' && 'bitsOf' in each ? [each.bitsOf] : []
    for (const source of [...Object.values(fields), ...ofBits, ...(own ? [own] : [])]) {
      if (source.path !== undefined) use(tokensOf(source.path))
      if (typeof source.item === 'string') use([...items, ...tokensOf(source.item)])
    }
    for (const path of namedIn(when, 'msg')) use(path)
    for (const path of namedIn(when, 'item')) use([...items, ...path])
  }
  const patterns = Map.groupBy(
    [...used].map((one) => one.split('/')),
    ({ length }) => length,
  )
  let comparisons = 0
  const isUsed = (key: string, path: readonly string[]): boolean => {
    if (used.has(key)) return true
    // A list that is gone through by its names has them in place of numbers.
    const all = patterns.get(path.length) ?? []
    comparisons += all.length
    return all.some((one) => matches(one, path))
  }
  const judged = new Set<string>()
  const found = new Set<string>()
  const walk = (value: unknown, path: readonly string[]): void => {
    if (found.size >= mostPaths || comparisons >= mostComparisons || path.length > 16) return
    if (typeof value !== 'object' || value === null) {
      const key = path.join('/')
      // A list has its paths once, however long it is.
      if (judged.has(key)) return
      judged.add(key)
      if (!isUsed(key, path)) found.add(`/${key}`)
      return
    }
    const isList = Array.isArray(value)
    for (const [name, inner] of Object.entries(value)) walk(inner, [...path, isList ? anyItem : name])
  }
  walk(message, [])
  return [...found]
}

const matches = (pattern: readonly string[], path: readonly string[]): boolean =>
  pattern.every((token, at) => token === anyItem || token === path[at])
