import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'

const limits = new AsyncLocalStorage<number | null>()

/** Inside, a query that is not answered within `limitMs` ends its connection, whatever the pool's own limit. */
export function withQueryLimit<Result>(limitMs: number, work: () => Result): Result {
  return limits.run(limitMs, work)
}

/** Inside, a query may take as long as it takes: jobs, migrations, partitions, the history of a whole region. */
export function mayTakeLong<Result>(work: () => Result): Result {
  return limits.run(null, work)
}

type Answer = (error: Error | null, result: pg.QueryResult) => void

/**
 * Ends the client's connection where the answer does not come in time. pg's own `query_timeout` only tells
 * the caller: the connection goes back to its pool with the query still on it, and the next one waits behind.
 */
export function limited(client: pg.Client, poolLimitMs: number, answer: Answer): Answer {
  const own = limits.getStore()
  const limitMs = own === undefined ? poolLimitMs : own
  if (limitMs === null) return answer
  const timer = setTimeout(() => {
    client.connection.stream.destroy(new Error(`Connection terminated: no answer within ${limitMs} ms`))
  }, limitMs)
  return (error, result) => {
    clearTimeout(timer)
    answer(error, result)
  }
}
