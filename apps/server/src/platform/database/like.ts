/** The text itself where LIKE would read a pattern. */
export const likeLiteral = (text: string) => text.replace(/[\\%_]/g, '\\$&')
