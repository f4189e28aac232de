/** Letters, digits and newlines alone. */
export function cleanCodes(text: string): string {
  return text.replace(/[^A-Za-z0-9\n]/g, '')
}

/** The codes in a text of one per line, in a comma-joined one, or in a list; each once. */
export function codesOf(value: unknown): string[] {
  const parts = Array.isArray(value) ? value.map(String) : String(value ?? '').split(/[,\n]/)
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))]
}
