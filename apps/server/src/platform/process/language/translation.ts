// What is said in Chinese as English: whole sentences by the catalogues, and sentences with something put in by their
// pattern, what is put in by the same way once more.
import { refusals } from '@voltkeep/contract'
import { meaningsInEnglish } from '@voltkeep/contract/english/meanings'
import { refusalsInEnglish } from '@voltkeep/contract/english/refusals'
import { seedsInEnglish } from '@voltkeep/contract/english/seeds'
import { sentencesInEnglish as ofContract } from '@voltkeep/contract/english/sentences'
import { sentencesInEnglish as ofServer } from './english.ts'

interface Pattern {
  /** The longest piece of the sentence itself: nearly all texts are told apart by it. */
  piece: string
  /** The sentence around what is put in. */
  pieces: readonly string[]
  /** Which of what is put in stands between the pieces, in order. */
  order: readonly string[]
  english: string
  /** How much of it is given: of several that fit, the one that says most. */
  given: number
}

const ofRefusals = Object.fromEntries(
  Object.entries(refusals).map(([name, [, text]]) => [
    text,
    refusalsInEnglish[name as keyof typeof refusals],
  ]),
)
// Names that an installation starts with are put into sentences.
const catalogue: Record<string, string> = {
  ...meaningsInEnglish,
  ...seedsInEnglish,
  ...ofContract,
  ...ofServer,
  ...ofRefusals,
}
const whole = new Map(Object.entries(catalogue).filter(([chinese]) => !/\{\d\}/.test(chinese)))
const patterns: Pattern[] = Object.entries(catalogue)
  .filter(([chinese]) => /\{\d\}/.test(chinese) && /\p{Script=Han}/u.test(chinese))
  .map(([chinese, english]) => {
    const pieces = chinese.split(/\{\d\}/)
    return {
      piece: pieces.toSorted((a, b) => b.length - a.length)[0] ?? '',
      pieces,
      order: [...chinese.matchAll(/\{(\d)\}/g)].map(([, at = '']) => at),
      english,
      given: pieces.join('').length,
    }
  })
  .sort((a, b) => b.given - a.given)

const han = /\p{Script=Han}/u
/** Of what is put into a sentence that is itself put into one. */
const deepest = 4
/** Characters of what is put in, at every depth, each counted with what a search through the sentences takes at least. */
const [mostRead, ofSearch] = [30_000, 50]
const known = new Map<string, string>()
const knownAtMost = 5_000
const longest = 2_000

/** The text itself where no catalogue has it. */
export function inEnglish(text: string): string {
  if (text.length > longest || !han.test(text)) return text
  const before = known.get(text)
  if (before !== undefined) return before
  const english = translated(text, 0, { left: mostRead })
  if (known.size >= knownAtMost) known.clear()
  known.set(text, english)
  return english
}

function translated(text: string, depth: number, work: { left: number }): string {
  if (!han.test(text)) return text
  const exactly = whole.get(text)
  if (exactly !== undefined) return exactly
  if (depth >= deepest || work.left < 0) return text
  work.left -= text.length + ofSearch
  for (const { piece, pieces, order, english } of patterns) {
    if (!text.includes(piece)) continue
    const parts = putBetween(pieces, text)
    if (parts)
      return english.replace(/\{(\d)\}/g, (_, at) =>
        translated(parts[order.indexOf(at)] ?? '', depth + 1, work),
      )
  }
  // A list of words, as of reasons or names: each by itself.
  for (const [separator, english] of separators) {
    if (!text.includes(separator)) continue
    const words = text.split(separator)
    const inOwn = words.map((word) => translated(word, depth + 1, work))
    if (inOwn.some((word, at) => word !== words[at])) return inOwn.join(english)
  }
  return text
}

/**
 * What stands between the pieces, each as near to the beginning as it is found; null where the text is not made of them. A
 * regular expression with a gap for each would try every place of every piece: a text of 2,000 characters took 20 s.
 */
function putBetween(pieces: readonly string[], text: string): string[] | null {
  const [first = '', ...others] = pieces
  const last = others.pop() ?? ''
  if (!text.startsWith(first)) return null
  const parts: string[] = []
  let at = first.length
  for (const piece of others) {
    const next = text.indexOf(piece, at)
    if (next < 0) return null
    parts.push(text.slice(at, next))
    at = next + piece.length
  }
  const end = text.length - last.length
  if (end < at || !text.endsWith(last)) return null
  return [...parts, text.slice(at, end)]
}

const separators = [
  ['\n', '\n'],
  ['；', '; '],
  ['，', ', '],
  ['、', ', '],
] as const
