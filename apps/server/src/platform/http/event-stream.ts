import type { Schema } from '@voltkeep/contract'
import * as z from 'zod/mini'

const heartbeatMs = 15_000

/**
 * Server-Sent Events as bytes: each event formed by its schema, a comment as heartbeat while there is
 * nothing to say. Ends when the client has gone, which ends the source too.
 */
export async function* eventStream(
  events: AsyncIterable<unknown>,
  schema: Schema,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const source = events[Symbol.asyncIterator]()
  const whenGone = new Promise<'gone'>((resolve) => {
    if (signal.aborted) resolve('gone')
    signal.addEventListener('abort', () => resolve('gone'), { once: true })
  })
  let pending = source.next()
  try {
    yield Buffer.from(': open\n\n')
    while (!signal.aborted) {
      let timer: NodeJS.Timeout | undefined
      const silence = new Promise<'silence'>((resolve) => {
        timer = setTimeout(() => resolve('silence'), heartbeatMs)
      })
      const next = await Promise.race([pending, silence, whenGone])
      clearTimeout(timer)
      if (next === 'gone') return
      if (next === 'silence') {
        yield Buffer.from(': still here\n\n')
        continue
      }
      if (next.done) return
      yield Buffer.from(`data: ${JSON.stringify(z.parse(schema as z.ZodMiniType, next.value))}\n\n`)
      pending = source.next()
    }
  } finally {
    // Not awaited: a generator that waits for its next event would never answer.
    void source.return?.()
  }
}
