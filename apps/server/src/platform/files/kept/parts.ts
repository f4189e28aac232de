/**
 * Cuts a stream into parts of one size, the last one shorter; none of an empty stream. The parts share `buffers`
 * buffers in turn, so that memory does not grow with the stream: a part is valid until `buffers - 1` more have been
 * read.
 */
export async function* partsOf(
  source: AsyncIterable<Uint8Array>,
  { partBytes, buffers }: { partBytes: number; buffers: number },
): AsyncGenerator<Buffer> {
  const pool: Buffer[] = []
  let turn = 0
  let filled = 0
  for await (const bytes of source) {
    for (let at = 0; at < bytes.byteLength; ) {
      pool[turn] ??= Buffer.allocUnsafeSlow(partBytes)
      const buffer = pool[turn] as Buffer
      const piece = bytes.subarray(at, at + partBytes - filled)
      buffer.set(piece, filled)
      filled += piece.byteLength
      at += piece.byteLength
      if (filled < partBytes) continue
      turn = (turn + 1) % buffers
      filled = 0
      yield buffer
    }
  }
  if (filled > 0) yield (pool[turn] as Buffer).subarray(0, filled)
}
