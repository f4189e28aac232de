/**
 * The type of a file by its first bytes; the name and the header that a client sends are never used. Only types that
 * something depends on are known (what may be shown inline, archives, documents); everything else, including text, HTML
 * and SVG, is `application/octet-stream`, which a browser saves and never opens.
 */

/** How many bytes of the beginning `contentTypeOf` looks at. */
export const sampleBytes = 512

const unknownType = 'application/octet-stream'

/** Bytes as Latin-1 text at an offset. */
const signatures: readonly [offset: number, bytes: string, contentType: string][] = [
  [0, '\xff\xd8\xff', 'image/jpeg'],
  [0, '\x89PNG\r\n\x1a\n', 'image/png'],
  [0, 'GIF87a', 'image/gif'],
  [0, 'GIF89a', 'image/gif'],
  [0, '%PDF-', 'application/pdf'],
  [0, 'PK\x03\x04', 'application/zip'],
  [0, 'PK\x05\x06', 'application/zip'],
  [0, '\x1f\x8b\x08', 'application/gzip'],
  [0, '7z\xbc\xaf\x27\x1c', 'application/x-7z-compressed'],
  [0, 'Rar!\x1a\x07', 'application/vnd.rar'],
  [0, '\xfd7zXZ\x00', 'application/x-xz'],
  [0, '\x28\xb5\x2f\xfd', 'application/zstd'],
  [0, 'BZh', 'application/x-bzip2'],
  [257, 'ustar', 'application/x-tar'],
  [0, 'fLaC', 'audio/flac'],
  [0, 'OggS', 'audio/ogg'],
  [0, 'ID3', 'audio/mpeg'],
  [0, '\xff\xfb', 'audio/mpeg'],
  [0, '\xff\xf3', 'audio/mpeg'],
  [0, '\xff\xf2', 'audio/mpeg'],
]

/** RIFF and the form that it carries. */
const riffForms: Record<string, string> = {
  WEBP: 'image/webp',
  'AVI ': 'video/x-msvideo',
  WAVE: 'audio/wav',
}

/** The major brand of an ISO base media file; every other brand is taken for MP4. */
const mediaBrands: Record<string, string> = {
  'qt  ': 'video/quicktime',
  'M4A ': 'audio/mp4',
  avif: 'image/avif',
  avis: 'image/avif',
  heic: 'image/heic',
  heix: 'image/heic',
  mif1: 'image/heif',
}

/** The type of a file that begins with these bytes, `sampleBytes` of them or the whole file. */
export function contentTypeOf(sample: Uint8Array): string {
  const text = Buffer.from(sample.buffer, sample.byteOffset, sample.byteLength).toString('latin1')
  for (const [offset, bytes, contentType] of signatures) {
    if (text.startsWith(bytes, offset)) return contentType
  }
  if (text.startsWith('RIFF')) return riffForms[text.slice(8, 12)] ?? unknownType
  if (text.startsWith('ftyp', 4)) return mediaBrands[text.slice(8, 12)] ?? 'video/mp4'
  if (text.startsWith('\x1a\x45\xdf\xa3')) return matroskaType(text)
  return unknownType
}

/** The document type stands in the EBML header: the element 4282, a length byte, and the text. */
function matroskaType(text: string): string {
  const at = text.indexOf('\x42\x82')
  if (at < 0) return unknownType
  if (text.startsWith('webm', at + 3)) return 'video/webm'
  return text.startsWith('matroska', at + 3) ? 'video/x-matroska' : unknownType
}

/**
 * May a browser show it under our origin? Only what carries no script: SVG and HTML are unknown types here. A PDF
 * runs its scripts in the viewer, which is not our origin.
 */
export function mayBeInline(contentType: string): boolean {
  return /^(image|video|audio)\//.test(contentType) || contentType === 'application/pdf'
}
