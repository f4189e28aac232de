import pg from 'pg'

const [dash, space, plus] = ['-', ' ', '+'].map((sign) => sign.charCodeAt(0))
const parseAny: (text: string) => unknown = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ)

/**
 * Reads a timestamptz as PostgreSQL writes it, `2026-11-22 15:10:35.474+08`, as a Date. pg's own way, two regular
 * expressions, took a tenth of the server's time when commands go out by the thousand; it still reads what looks
 * different: infinity, years before Christ or after 9999, offsets with minutes.
 */
export function parseTimestamp(text: string): unknown {
  const offsetAt = text.length - 3
  const sign = text.charCodeAt(offsetAt)
  const isUsual =
    text.charCodeAt(4) === dash && text.charCodeAt(10) === space && (sign === plus || sign === dash)
  return isUsual ? new Date(`${text.slice(0, 10)}T${text.slice(11)}:00`) : parseAny(text)
}
