import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'

const limits = new AsyncLocalStorage<number | null>()

/** Queries in `work` that are not answered within `limitMs` end their connection, whatever the limit of the pool. */
export function withQueryLimit<Result>(limitMs: number, work: () => Result): Result {
  return limits.run(limitMs, work)
}

/** Queries in `work` have no time limit: jobs, migrations, partitions, the history of a whole region. */
export function mayTakeLong<Result>(work: () => Result): Result {
  return limits.run(null, work)
}

const unanswered = 'Connection terminated: no answer within'

/** True for a query that met its limit: the database may be away, or the query takes too long. */
export const isUnanswered = (error: unknown) => error instanceof Error && error.message.startsWith(unanswered)

export type Answer = (error: Error | null, result: pg.QueryResult) => void

/**
 * Ends the client's connection when the answer does not come in time. pg's own `query_timeout` only rejects: the
 * connection returns to its pool with the query still running, and the next query waits behind it.
 */
export function limited(client: pg.Client, poolLimitMs: number, answer: Answer): Answer {
  const own = limits.getStore()
  const limitMs = own === undefined ? poolLimitMs : own
  if (limitMs === null) return answer
  const timer = setTimeout(() => {
    client.connection.stream.destroy(new Error(`${unanswered} ${limitMs} ms`))
  }, limitMs)
  return (error, result) => {
    clearTimeout(timer)
    answer(error, result)
  }
}
