// Advisory locks of periodic jobs, on one connection outside the pool. A running job therefore takes no connection of
// the pool: with a lock on a pooled connection each, jobs took the whole pool and waited in it for one another. A
// killed process leaves no lock, since the database ends the locks of a connection with the connection.
import type pg from 'pg'
import { newClient } from '../database.ts'

/** One lock at a time for each job's name, over all processes on one database. */
export interface JobLocks {
  /** Null when another process, or another run of this process, has the lock. Throws when the database is away. */
  tryLock(name: string): Promise<JobLock | null>
  /** Ends the connection, and with it every lock that is still taken. */
  close(): Promise<void>
}

export interface JobLock {
  /** Aborted when the connection is lost: from then on another process may take the lock. */
  lost: AbortSignal
  release(): Promise<void>
}

/** The first key of our advisory locks, which keeps them apart from those of other programs. */
const lockClass = 7_286_110
const queryLimitMs = 10_000
/** When this machine vanishes without closing the connection, the database ends it, and its locks, within a minute. */
const sessionSettings = `
  SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;
  SET idle_session_timeout = 0`

interface Session {
  client: pg.Client
  lost: AbortController
}

export function createJobLocks(pool: pg.Pool): JobLocks {
  /** An advisory lock is re-entrant within its connection, so this process keeps its own account. */
  const taken = new Set<string>()
  let session: Session | undefined
  /** A pg client answers one query at a time. */
  let turn: Promise<unknown> = Promise.resolve()

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work)
    turn = result.catch(() => undefined)
    return result
  }

  async function connect(): Promise<Session> {
    const client = newClient(pool, {
      query_timeout: queryLimitMs,
      application_name: `${pool.options.application_name} jobs`,
    })
    const opened: Session = { client, lost: new AbortController() }
    client.on('error', () => discard(opened))
    client.on('end', () => discard(opened))
    try {
      await client.connect()
      await client.query(sessionSettings)
    } catch (error) {
      discard(opened)
      throw error
    }
    return opened
  }

  function discard(broken: Session): void {
    if (session === broken) session = undefined
    if (broken.lost.signal.aborted) return
    broken.lost.abort()
    // Not awaited: a dead peer never answers.
    broken.client.end().catch(() => undefined)
  }

  async function ask<Row extends pg.QueryResultRow>(asked: Session, text: string, name: string) {
    try {
      return await asked.client.query<Row>(text, [lockClass, name])
    } catch (error) {
      discard(asked)
      throw error
    }
  }

  async function release(name: string, locked: Session): Promise<void> {
    if (!locked.lost.signal.aborted) {
      // A failed unlock has ended the connection, which releases the lock.
      await inTurn(() => ask(locked, 'SELECT pg_advisory_unlock($1, hashtext($2))', name)).catch(
        () => undefined,
      )
    }
    taken.delete(name)
  }

  return {
    async tryLock(name) {
      if (taken.has(name)) return null
      taken.add(name)
      try {
        return await inTurn(async () => {
          session ??= await connect()
          const locking = session
          const { rows } = await ask<{ isLocked: boolean }>(
            locking,
            'SELECT pg_try_advisory_lock($1, hashtext($2)) AS "isLocked"',
            name,
          )
          if (rows[0]?.isLocked) return { lost: locking.lost.signal, release: () => release(name, locking) }
          taken.delete(name)
          return null
        })
      } catch (error) {
        taken.delete(name)
        throw error
      }
    },
    async close() {
      await inTurn(async () => {
        const closing = session
        session = undefined
        await closing?.client.end()
      })
    },
  }
}
