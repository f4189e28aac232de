/** Below this size no ratio is suspicious. */
const harmlessBytes = 64 * 1024 * 1024
/** Logs of one line repeated shrink to a hundredth; a bomb of deflate to a thousandth. */
const ratioLimit = 300

export interface Sizes {
  packedBytes: number
  unpackedBytes: number
}

/**
 * Why so many bytes are not unpacked from so few, in words for the reader; null where they may be. The server never
 * keeps an unpacked text whole: the limit protects whoever reads it at the end.
 */
export function objectionTo({ packedBytes, unpackedBytes }: Sizes, limitBytes: number): string | null {
  if (unpackedBytes > limitBytes) return `解压后超过${Math.floor(limitBytes / 1024 ** 2)}MB，请下载后查看`
  if (unpackedBytes > harmlessBytes && unpackedBytes > ratioLimit * packedBytes)
    return '压缩比异常，请下载后查看'
  return null
}
