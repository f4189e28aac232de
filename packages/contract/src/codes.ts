// Device codes as they are typed and pasted. Without zod: the console's text boxes use it too.

/**
 * What stands between two codes: line breaks, spaces of any width, tabs, Chinese or Western commas and semicolons. The
 * source of a regular expression.
 */
export const codeSeparator = '[\\s,，、;；]'

const separators = new RegExp(`${codeSeparator}+`)

/** The words of a text, each once. */
export const wordsIn = (text: string): string[] => [
  ...new Set(text.split(separators).filter((word) => word !== '')),
]

/**
 * The device codes in a text, each once, as a lookup, a batch and every other choice of devices reads them: separators
 * end a code, and all other characters than letters and digits are stripped from it.
 */
export function codesIn(text: string): string[] {
  const codes = text.split(separators).map((code) => code.replace(/[^A-Za-z0-9]/g, ''))
  return [...new Set(codes.filter((code) => code !== ''))]
}
