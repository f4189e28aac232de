/** Escapes a text, so that LIKE matches it literally. */
export const likeLiteral = (text: string) => text.replace(/[\\%_]/g, '\\$&')
