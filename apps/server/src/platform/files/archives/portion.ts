import { setImmediate } from 'node:timers/promises'
import { Refusal } from '../../calls/refusal.ts'

/**
 * The bytes from `from` on, at most `limit` of them. Resolves when the first byte is there, so that a text that cannot
 * be unpacked at all is refused (`archiveUnreadable`, unless the source throws a refusal of its own) before an answer
 * begins. A text that ends too early is refused with why where it is asked for what follows its end. With `endsAtDamage`
 * what can be read of it is the whole answer; without, the answer breaks off there.
 */
export async function portionOf(
  source: AsyncIterable<Uint8Array>,
  { from, limit, endsAtDamage = false }: { from: number; limit: number; endsAtDamage?: boolean },
): Promise<AsyncIterable<Uint8Array>> {
  const portion = cut(source, from, limit)
  let first: IteratorResult<Uint8Array>
  try {
    first = await portion.next()
  } catch (error) {
    const reason = cutShort(error)
    if (endsAtDamage && reason) return nothing()
    throw (from > 0 ? reason : undefined) ?? unreadable(error)
  }
  return (async function* () {
    try {
      if (first.done) return
      yield first.value
      yield* portion
    } catch (error) {
      if (endsAtDamage && cutShort(error)) return
      // What was yielded goes out first: a stream that fails drops what it holds.
      await setImmediate()
      throw error
    } finally {
      await portion.return(undefined)
    }
  })()
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Errors of the store and refusals stay as they are; every other error is the archive's fault. */
export function unreadable(error: unknown): unknown {
  if (error instanceof Refusal || (error as NodeJS.ErrnoException).syscall !== undefined) return error
  return new Refusal('archiveUnreadable', null, '压缩包已损坏，无法打开')
}

/** Why a text that could be read up to here goes no further. */
function cutShort(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return undefined
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'Z_BUF_ERROR' || message.includes('not enough bytes'))
    return new Refusal('archiveUnreadable', null, '压缩包被截断')
  if (code?.startsWith('Z_') || error instanceof ChecksumMismatch)
    return new Refusal('archiveUnreadable', null, '压缩包校验失败')
  return undefined
}

/** The unpacked content is not what the archive says of it. */
export class ChecksumMismatch extends Error {}

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
