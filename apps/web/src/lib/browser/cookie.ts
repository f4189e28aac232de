/** Reads a cookie of this page; undefined where there is none. */
export function readCookie(name: string): string | undefined {
  for (const pair of document.cookie.split('; ')) {
    const at = pair.indexOf('=')
    if (pair.slice(0, at) === name) return decodeURIComponent(pair.slice(at + 1))
  }
  return undefined
}

/** `maxAgeS` undefined: until the browser closes; 0: removed. */
export function writeCookie(name: string, value: string, maxAgeS?: number): void {
  const parts = [`${name}=${encodeURIComponent(value)}`, 'Path=/', 'SameSite=Strict']
  if (maxAgeS !== undefined) parts.push(`Max-Age=${maxAgeS}`)
  if (location.protocol === 'https:') parts.push('Secure')
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing where pages are served without TLS
  document.cookie = parts.join('; ')
}
