/** The file name a content-disposition header gives; undefined without such a header. */
export function disposedName(header: string | null): string | undefined {
  if (!header) return undefined
  const extended = /filename\*\s*=\s*(?:UTF-8|utf-8)''([^;]+)/.exec(header)?.[1]
  if (extended) {
    try {
      return safeName(decodeURIComponent(extended.trim()))
    } catch {
      // Badly encoded: the plain name may still be usable.
    }
  }
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/.exec(header)
  const name = plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2]
  if (!name) return undefined
  try {
    return safeName(decodeURIComponent(name))
  } catch {
    return safeName(name)
  }
}

/** A name, never a path. */
function safeName(name: string): string {
  return name.split(/[\\/]/).at(-1) ?? name
}
