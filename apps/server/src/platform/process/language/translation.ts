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
  expression: RegExp
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
    const expression = chinese
      .split(/(\{\d\})/)
      .map((part) =>
        /^\{\d\}$/.test(part) ? `(?<_${part[1]}>[^]*?)` : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
      )
      .join('')
    return {
      piece: pieces.toSorted((a, b) => b.length - a.length)[0] ?? '',
      expression: new RegExp(`^${expression}$`, 'u'),
      english,
      given: pieces.join('').length,
    }
  })
  .sort((a, b) => b.given - a.given)

const han = /\p{Script=Han}/u
/** Of what is put into a sentence that is itself put into one. */
const deepest = 4
const known = new Map<string, string>()
const knownAtMost = 5_000
const longest = 2_000

/** The text itself where no catalogue has it. */
export function inEnglish(text: string): string {
  if (text.length > longest || !han.test(text)) return text
  const before = known.get(text)
  if (before !== undefined) return before
  const english = translated(text, 0)
  if (known.size >= knownAtMost) known.clear()
  known.set(text, english)
  return english
}

function translated(text: string, depth: number): string {
  if (!han.test(text)) return text
  const exactly = whole.get(text)
  if (exactly !== undefined) return exactly
  if (depth >= deepest) return text
  for (const { piece, expression, english } of patterns) {
    if (!text.includes(piece)) continue
    const parts = expression.exec(text)?.groups
    if (parts) return english.replace(/\{(\d)\}/g, (_, at) => translated(parts[`_${at}`] ?? '', depth + 1))
  }
  // A list of words, as of reasons or names: each by itself.
  for (const [separator, english] of separators) {
    if (!text.includes(separator)) continue
    const words = text.split(separator)
    const inOwn = words.map((word) => translated(word, depth + 1))
    if (inOwn.some((word, at) => word !== words[at])) return inOwn.join(english)
  }
  return text
}

const separators = [
  ['\n', '\n'],
  ['；', '; '],
  ['，', ', '],
  ['、', ', '],
] as const
