// What a choice of devices shows to its reader: who made it may have named devices that the reader does not see.
import { wordsIn } from '@voltkeep/contract'
import type { Db } from '../../platform/database/database.ts'
import { type DataScope, everything } from './data-scope.ts'
import { codeWordsOf, listWordsFound, mayBeCode } from './device-search.ts'

export interface NamingChoice {
  codes?: readonly string[] | undefined
  filters?: { keyword?: string | undefined } | undefined
}

/** A code that finds no device in the reader's scope is left out, whether it is a foreign device's or nobody's. */
export interface CodesSeen {
  /** A choice with the codes that its reader sees; a keyword that others typed says how many words are left out. */
  choice<Choice extends NamingChoice>(choice: Choice, isOwn: boolean): Choice
  /** A keyword without words that may be codes and find no device that its reader sees; `left`: their number. */
  keyword(keyword: string): { keyword: string; left: number }
}

/** Reads what the reader of that scope sees of these choices and keywords. */
export async function codesSeen(
  db: Db,
  scope: DataScope,
  { choices = [], keywords = [] }: { choices?: readonly NamingChoice[]; keywords?: readonly string[] },
): Promise<CodesSeen> {
  if (scope === everything)
    return { choice: (choice) => choice, keyword: (keyword) => ({ keyword, left: 0 }) }
  const typed = [...keywords, ...choices.flatMap(({ filters }) => filters?.keyword ?? [])].map(codeWordsOf)
  const seen = await listWordsFound(db, scope, 'search_text', {
    whole: [...choices.flatMap(({ codes }) => codes ?? []), ...typed.flat()],
    parts: typed.filter((words) => words.length <= mostParts).flat(),
  })
  const keyword = (text: string) => {
    const words = wordsIn(text)
    const shown = words.filter((word) => !mayBeCode(word) || seen.has(word.toLowerCase()))
    const left = words.length - shown.length
    return { keyword: left === 0 ? text : shown.join(' '), left }
  }
  return {
    keyword,
    choice(choice, isOwn) {
      const { codes, filters } = choice
      const shown = filters?.keyword === undefined || isOwn ? null : keyword(filters.keyword)
      return {
        ...choice,
        ...(codes && { codes: codes.filter((code) => seen.has(code.toLowerCase())) }),
        ...(shown &&
          shown.left > 0 && {
            filters: { ...filters, keyword: `${shown.keyword}（另有 ${shown.left} 项不可见）` },
          }),
      }
    },
  }
}

/** Each part is searched in every device; of a longer text, which is a pasted column, only whole codes are shown. */
const mostParts = 10
