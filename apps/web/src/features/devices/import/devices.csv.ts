/**
 * CSV for Excel, with a byte order mark. A cell that begins like a formula gets a leading apostrophe, so that Excel
 * treats it as text.
 */
export function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  const lines = rows.map((row) => row.map(cellOf).join(','))
  return `\ufeff${lines.join('\r\n')}\r\n`
}

function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
