/**
 * Letters, digits and newlines alone. Spaces, commas and semicolons of either kind become a newline between codes, and
 * nothing at the beginning or the end of a line.
 */
export function cleanCodes(text: string): string {
  return text
    .replace(/[^A-Za-z0-9\n ,，、;；\t]/g, '')
    .replace(/[ ,，、;；\t]+(?=\n)/g, '')
    .replace(/(^|\n)[ ,，、;；\t]+/g, '$1')
    .replace(/[ ,，、;；\t]+/g, '\n')
}

/** The codes in a text (separated by newlines, spaces, commas or semicolons) or in a list; each once. */
export function codesOf(value: unknown): string[] {
  const parts = Array.isArray(value) ? value.map(String) : String(value ?? '').split(/[\s,，、;；]+/)
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))]
}
