/**
 * Versions in the headers of images, where the bootloaders put them. A file that begins with neither header says
 * nothing about its version.
 *
 * MCUboot, `struct image_header` of bootutil/image.h, little endian: magic (4 bytes), load address (4), header size (2),
 * size of the protected TLVs (2), image size (4), flags (4), version (major 1, minor 1, revision 2, build 4), padding
 * (4).
 *
 * ESP-IDF: `esp_image_header_t` (24 bytes, the first is the magic), the header of the first segment (8), and at its
 * beginning `esp_app_desc_t`: magic (4), secure version (4), reserved (8), version as text (32, ended by a zero).
 */

export interface ImageHeader {
  format: 'MCUboot' | 'ESP-IDF'
  /** As the header has it, e.g. `1.4.2+7` or `v1.4-3-gabcdef0`. */
  version: string
  /** Null where the text begins with no version. */
  major: number | null
  minor: number | null
}

/** How many bytes of the beginning `readImageHeader` looks at. */
export const imageHeaderBytes = 80

const mcubootMagic = 0x96f3b83d
const mcubootBytes = 32
const espMagic = 0xe9
const espDescriptorAt = 32
const espDescriptorMagic = 0xabcd5432
const espVersion = { from: 48, to: 80 }

/**
 * The header of the image that begins with these bytes; null where there is none. A header that is cut off is
 * `'truncated'`.
 */
export function readImageHeader(beginning: Uint8Array): ImageHeader | 'truncated' | null {
  const bytes = Buffer.from(beginning.buffer, beginning.byteOffset, beginning.byteLength)
  if (bytes.length >= 4 && bytes.readUInt32LE(0) === mcubootMagic) {
    return bytes.length < mcubootBytes ? 'truncated' : readMcuboot(bytes)
  }
  const hasDescriptor =
    bytes[0] === espMagic &&
    bytes.length >= espDescriptorAt + 4 &&
    bytes.readUInt32LE(espDescriptorAt) === espDescriptorMagic
  // A bootloader of ESP-IDF has the first magic and no descriptor.
  if (!hasDescriptor) return null
  return bytes.length < espVersion.to ? 'truncated' : readEsp(bytes)
}

function readMcuboot(bytes: Buffer): ImageHeader {
  const major = bytes.readUInt8(20)
  const minor = bytes.readUInt8(21)
  const build = bytes.readUInt32LE(24)
  const version = `${major}.${minor}.${bytes.readUInt16LE(22)}${build === 0 ? '' : `+${build}`}`
  return { format: 'MCUboot', version, major, minor }
}

function readEsp(bytes: Buffer): ImageHeader {
  const field = bytes.subarray(espVersion.from, espVersion.to)
  const end = field.indexOf(0)
  // Only printable characters: the text goes into a message.
  const version = field
    .toString('latin1', 0, end === -1 ? field.length : end)
    .replace(/[^\x20-\x7e]/g, '?')
    .trim()
  const numbers = /^[vV]?(\d{1,9})\.(\d{1,9})(?!\d)/.exec(version)
  return {
    format: 'ESP-IDF',
    version,
    major: numbers ? Number(numbers[1]) : null,
    minor: numbers ? Number(numbers[2]) : null,
  }
}
