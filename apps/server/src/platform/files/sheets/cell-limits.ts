/** What no column needs is cut, so that a table of long texts stays small in memory. */
export const columnLimit = 200
/** Characters of one cell. */
export const cellLimit = 2_000
/** Stands in a cell for characters that no text can contain. */
export const invalidCharacter = '\ufffd'
