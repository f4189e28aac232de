/** RFC 6266: a plain name for old clients, and the name itself in UTF-8. */
export function contentDisposition(
  fileName: string,
  disposition: 'inline' | 'attachment' = 'attachment',
): string {
  const plain = fileName.replace(/[^\w.-]+/g, '_')
  // encodeURIComponent leaves four characters that RFC 8187 does not allow.
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
