// Images as the build tools of devices make them, without code.

/** An image with the header of MCUboot (bootutil/image.h), whose fields a device's bootloader reads. */
export function mcubootImage({
  major,
  minor,
  revision = 0,
  build = 0,
  bodyBytes = 256,
}: {
  major: number
  minor: number
  revision?: number
  build?: number
  bodyBytes?: number
}): Buffer {
  const header = Buffer.alloc(32)
  header.writeUInt32LE(0x96f3b83d, 0)
  header.writeUInt32LE(0, 4)
  header.writeUInt16LE(32, 8)
  header.writeUInt16LE(0, 10)
  header.writeUInt32LE(bodyBytes, 12)
  header.writeUInt32LE(0, 16)
  header.writeUInt8(major, 20)
  header.writeUInt8(minor, 21)
  header.writeUInt16LE(revision, 22)
  header.writeUInt32LE(build, 24)
  return Buffer.concat([header, Buffer.alloc(bodyBytes, 0xa5)])
}

/** An app of ESP-IDF: the image's header, the first segment's, and the app descriptor with this version. */
export function espImage(version: string, bodyBytes = 256): Buffer {
  const header = Buffer.alloc(24)
  header.set([0xe9, 1, 2, 0x20])
  header.writeUInt32LE(0x4008_0ea4, 4)
  const segment = Buffer.alloc(8)
  segment.writeUInt32LE(0x3f40_0020, 0)
  segment.writeUInt32LE(256 + bodyBytes, 4)
  const descriptor = Buffer.alloc(256)
  descriptor.writeUInt32LE(0xabcd5432, 0)
  descriptor.write(version, 16, 32, 'latin1')
  descriptor.write('voltkeep-wifi', 48, 32, 'latin1')
  return Buffer.concat([header, segment, descriptor, Buffer.alloc(bodyBytes, 0xa5)])
}
