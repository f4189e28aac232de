import { Refusal } from '../refusal.ts'

/**
 * The bytes from `from` on, at most `limit` of them. Resolves when the first byte is there, so that a text that cannot
 * be unpacked at all is refused (`archiveUnreadable`, unless the source throws a refusal of its own) before an answer
 * begins.
 */
export async function portionOf(
  source: AsyncIterable<Uint8Array>,
  { from, limit }: { from: number; limit: number },
): Promise<AsyncIterable<Uint8Array>> {
  const portion = cut(source, from, limit)
  let first: IteratorResult<Uint8Array>
  try {
    first = await portion.next()
  } catch (error) {
    throw unreadable(error)
  }
  return (async function* () {
    try {
      if (first.done) return
      yield first.value
      yield* portion
    } finally {
      await portion.return(undefined)
    }
  })()
}

/** Errors of the store and refusals stay as they are; every other error is the archive's fault. */
export function unreadable(error: unknown): unknown {
  if (error instanceof Refusal || (error as NodeJS.ErrnoException).syscall !== undefined) return error
  return new Refusal('archiveUnreadable', null, '压缩包已损坏，无法打开')
}

async function* cut(
  source: AsyncIterable<Uint8Array>,
  from: number,
  limit: number,
): AsyncGenerator<Uint8Array, undefined> {
  let at = 0
  const end = from + limit
  for await (const bytes of source) {
    const first = Math.max(0, from - at)
    const last = Math.min(bytes.byteLength, end - at)
    if (last > first) yield bytes.subarray(first, last)
    at += bytes.byteLength
    if (at >= end) return
  }
}
