// Detects the level of a line from the word at its head.

/** The index of a level is its number in the line index. 0: the line has no level. */
export const levels = ['none', 'debug', 'info', 'warn', 'error'] as const
export type Level = (typeof levels)[number]

/** The level stands between the time and the message, so only the head of a line is searched. */
export const headLength = 160

const words: readonly (readonly [level: number, ascii: string, chinese: string])[] = [
  [4, 'FATAL|CRITICAL|CRIT|EMERG|ALERT|PANIC|SEVERE|ERROR|ERR', '致命|严重|错误'],
  [3, 'WARNING|WARN', '警告|告警'],
  [2, 'NOTICE|INFO', '信息|提示|通知'],
  [1, 'DEBUG|TRACE|VERBOSE', '调试|跟踪'],
]
const ascii = words.map(([, each]) => each).join('|')
const chinese = words.map(([, , each]) => each).join('|')
const levelOfWord = new Map(
  words.flatMap(([level, ...lists]) => lists.flatMap((list) => list.split('|').map((word) => [word, level]))),
)
const levelOfLetter: Readonly<Record<string, number>> = { F: 4, E: 4, W: 3, N: 2, I: 2, D: 1, V: 1, T: 1 }

const apart = String.raw`(?:[[<(|]|(?:level|lvl|severity)["']?\s*[=:]\s*["']?)\s*`

/**
 * How a line may name its level; the first match counts. A word in capitals, or a word that is delimited: `[error]`,
 * `level=warn`, `"level":"info"`. A Chinese word only if it is delimited, since within a sentence it is no level
 * (通信错误). A single letter, as embedded loggers write it: `[E]`, `E (1234) wifi:`, `11-20 09:30:05.123 812 812 W
 * Modem:`, `W/Modem(812):`.
 */
const capitals = new RegExp(`(?<![A-Za-z0-9_])(${ascii})(?![A-Za-z0-9_])`)
const setApart = new RegExp(`${apart}(${ascii})(?![a-z0-9_])`, 'i')
const chineseWord = new RegExp(
  String.raw`(?<![^\s[\]<>()|【】（）:：])(${chinese})(?![^\s[\]<>()|【】（）:：])`,
)
const letters = [
  /[[<]([FEWNIDVT])[\]>]/,
  /^([EWIDV]) \(\d/,
  /\d\s+([FEWIDV])(?:\s|\/)\s*[\w.-]+\s*(?:\(\s*\d+\))?:/,
  /^([FEWIDV])\/[\w.-]+\s*\(/,
]

/** The index in `levels` of a line's level, detected from its head. */
export function levelOf(head: string): number {
  const word = capitals.exec(head)
  const before = word ? head.slice(0, word.index) : head
  const earlier = setApart.exec(before) ?? (beyondAscii.test(before) ? chineseWord.exec(before) : null)
  const name = earlier?.[1]?.toUpperCase() ?? word?.[1]
  if (name !== undefined) return levelOfWord.get(name) ?? 0
  for (const pattern of letters) {
    const letter = pattern.exec(head)?.[1]
    if (letter !== undefined) return levelOfLetter[letter] ?? 0
  }
  return 0
}

const beyondAscii = /[^\0-\x7f]/
