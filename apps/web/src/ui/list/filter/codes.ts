import { codeSeparator, codesIn } from '@voltkeep/contract/codes'

const blanks = `(?:(?!\\n)${codeSeparator})+`
const [foreign, atEnds, atStarts, between] = [
  new RegExp(`(?!${codeSeparator})[^A-Za-z0-9]`, 'gu'),
  new RegExp(`${blanks}(?=\\n)`, 'g'),
  new RegExp(`(^|\\n)${blanks}`, 'g'),
  new RegExp(blanks, 'g'),
]

/**
 * A text of codes while it is typed: letters, digits and newlines alone. Spaces, commas and semicolons of either kind
 * become a newline between codes, and nothing at the beginning or the end of a line.
 */
export const cleanCodes = (text: string): string =>
  text.replace(foreign, '').replace(atEnds, '').replace(atStarts, '$1').replace(between, '\n')

/** The codes in a text or a list, by the rule of the contract. */
export const codesOf = (value: unknown): string[] =>
  codesIn(Array.isArray(value) ? value.map(String).join('\n') : String(value ?? ''))
