import type { Schema } from '@voltkeep/contract'
import * as z from 'zod/mini'

/**
 * A client that misses two and a half heartbeats takes the connection for lost: an operator must learn of it within
 * seconds.
 */
const heartbeatMs = 5_000

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
  let wake = () => {}
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort, { once: true })
  let arrived: (() => IteratorResult<unknown>) | undefined
  const ask = () => {
    arrived = undefined
    source
      .next()
      .then(
        (result) => {
          arrived = () => result
        },
        (error) => {
          arrived = () => {
            throw error
          }
        },
      )
      .finally(() => wake())
  }
  /** A new promise each time: raced with one that lasts as long as the stream, it would keep every event in memory. */
  const arrivalOrSilence = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, heartbeatMs)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  ask()
  try {
    yield Buffer.from(': open\n\n')
    while (!signal.aborted) {
      if (!arrived) await arrivalOrSilence()
      if (signal.aborted) return
      if (!arrived) {
        yield Buffer.from(': still here\n\n')
        continue
      }
      const next = arrived()
      if (next.done) return
      yield Buffer.from(`data: ${JSON.stringify(z.parse(schema as z.ZodMiniType, next.value))}\n\n`)
      ask()
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Not awaited: a generator that waits for its next event would never answer.
    void source.return?.()
  }
}
