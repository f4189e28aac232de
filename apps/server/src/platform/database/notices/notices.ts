// What one process of the server tells the others, over the database's NOTIFY. Publishing and subscribing work
// the same whether the roles run in one process or in several.
import type pg from 'pg'
import { createClockComparison } from '../../process/clocks/clock-watch.ts'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import { errorFields, newClient } from '../database.ts'

/**
 * One kind of notice, declared by the feature that publishes it. `Id` is what its payload names: the ids of
 * the rows concerned. A kind that names nothing is a `Notice<never>`, published with an empty list.
 */
export interface Notice<Id extends string | number> {
  /** Unique among all features; also its name between processes. */
  readonly name: string
  /** For type inference only: never present at run time. */
  readonly id?: Id
}

/** The ids that a notice names; null where there were too many to name. */
export type NamedIds<Id> = readonly Id[] | null

/** Declares a kind of notice: `export const alarmsChanged = notice<string>('alarmsChanged')`. */
export const notice = <Id extends string | number = never>(name: string): Notice<Id> => ({ name })

/**
 * The clock of this process or of the database was set by this number of ms (negative: back), or its machine slept:
 * what waits for a moment has to be looked at. Told within each process alone, by whoever finds it.
 */
export const clockJumped = notice<number>('clockJumped')

export interface Notices {
  /**
   * Sends to every process, this one included, after the commit that it tells of, never inside a transaction;
   * again until the database has taken it. Notices of one kind within 200 ms travel together, each id once.
   * A notice is a hint: it may be lost with a connection, and whoever must be sure reads the tables.
   */
  publish<Id extends string | number>(kind: Notice<Id>, ids: NamedIds<NoInfer<Id>>): void
  /** The same without the delay of 200 ms: the listeners of this process have been called when the call returns. */
  publishAtOnce<Id extends string | number>(kind: Notice<Id>, ids: NamedIds<NoInfer<Id>>): void
  /** Calls the listeners of this process alone. */
  tellHere<Id extends string | number>(kind: Notice<Id>, ids: NamedIds<NoInfer<Id>>): void
  /**
   * Calls back for each notice until the returned function is called. After a lost connection every listener
   * is called once with null: what was missed is not known.
   */
  subscribe<Id extends string | number>(
    kind: Notice<Id>,
    listener: (ids: NamedIds<NoInfer<Id>>) => void,
  ): () => void
  /** Sends what waits, then closes the connection. */
  close(): Promise<void>
}

/** A statement for either kind of connection: pg's `query` takes it as it is. */
export interface NoticeStatement {
  text: string
  values: string[]
}

const channel = 'voltkeep'
const coalesceMs = 200
const resendMs = 1_000
const reconnectMs = 1_000
/** A connection whose peer vanished without closing it is found by asking it at this interval. */
const usualProbeMs = 15_000
const probeTimeoutMs = 5_000
/** NOTIFY takes less than 8000 bytes. */
const payloadLimitBytes = 7_900
/** More ids than these never fit: while the database is away no more are remembered. */
const mostIds = payloadLimitBytes / 2

/** The probe also tells when the clock of the database was set, which may be on another machine. */
const readClock = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms'

type Ids = NamedIds<string | number>
type Listener = (ids: Ids) => void

/**
 * Starts listening on a connection of its own, made with the pool's settings and made again whenever it
 * is lost. Resolves when it listens. Notices are sent over the pool.
 */
export async function openNotices({
  pool,
  log,
  probeMs = usualProbeMs,
}: {
  pool: pg.Pool
  log: Log
  probeMs?: number
}): Promise<Notices> {
  const listeners = new Map<string, Set<Listener>>()
  const waiting = new Map<string, Set<string | number> | null>()
  let sendTimer: NodeJS.Timeout | undefined
  let retryTimer: NodeJS.Timeout | undefined
  let probeTimer: NodeJS.Timeout | undefined
  let connection: pg.Client | undefined
  /** While `listen` is under way. */
  let connecting: pg.Client | undefined
  let sending: Promise<void> = Promise.resolve()
  let hasFailed = false
  let isClosed = false

  const deliver = (name: string, ids: Ids) => {
    for (const listener of listeners.get(name) ?? []) {
      try {
        listener(ids)
      } catch (err) {
        log.error({ err, notice: name }, spoken({ zh: '通知处理失败', en: 'a notice could not be handled' }))
      }
    }
  }

  const receive = (text: string) => {
    const { name, ids } = JSON.parse(text) as { name: string; ids: Ids }
    deliver(name, ids)
  }

  const listen = async () => {
    const client = newClient(pool, { application_name: 'voltkeep notices' })
    client.on('notification', ({ payload }) => payload && receive(payload))
    // Both come for one loss; the first one counts.
    client.on('error', () => lost(client))
    client.on('end', () => lost(client))
    const compare = createClockComparison()
    const lookAtClock = async () => {
      const askedAtMs = performance.now()
      const { rows } = await client.query<{ ms: number }>(readClock)
      return compare(rows[0]?.ms ?? 0, performance.now() - askedAtMs)
    }
    connecting = client
    try {
      await client.connect()
      await client.query(`LISTEN ${channel}`)
      await lookAtClock()
      if (isClosed) throw new Error('notices were closed while connecting')
    } catch (error) {
      await client.end().catch(() => undefined)
      throw error
    } finally {
      connecting = undefined
    }
    connection = client
    probeTimer = setInterval(() => {
      const deadline = setTimeout(() => lost(client), probeTimeoutMs)
      lookAtClock()
        .then((byMs) => byMs !== 0 && deliver(clockJumped.name, [byMs]))
        .catch(() => lost(client))
        .finally(() => clearTimeout(deadline))
    }, probeMs)
  }

  const lost = (client: pg.Client) => {
    if (connection !== client || isClosed) return
    log.warn(
      spoken({ zh: '通知连接中断，正在重连', en: 'the connection for notices was lost, connecting again' }),
    )
    connection = undefined
    clearInterval(probeTimer)
    // Not awaited: a dead peer would never answer.
    client.end().catch(() => undefined)
    reconnect()
  }

  const reconnect = () => {
    retryTimer = setTimeout(async () => {
      try {
        await listen()
      } catch {
        if (!isClosed) reconnect()
        return
      }
      log.info(spoken({ zh: '通知连接已恢复', en: 'the connection for notices is back' }))
      for (const name of listeners.keys()) deliver(name, null)
    }, reconnectMs)
  }

  const addWaiting = (name: string, ids: Iterable<string | number> | null) => {
    const already = waiting.get(name)
    if (ids === null || already === null) {
      waiting.set(name, null)
      return
    }
    const all = already ?? new Set()
    for (const id of ids) all.add(id)
    waiting.set(name, all.size > mostIds ? null : all)
  }

  const send = async () => {
    if (waiting.size === 0) return
    const taken = [...waiting]
    waiting.clear()
    const texts = taken.map(([name, ids]) => textOf(name, ids ? [...ids] : null))
    try {
      await pool.query('SELECT pg_notify($1, text) FROM unnest($2::text[]) AS text', [channel, texts])
      hasFailed = false
    } catch (error) {
      if (!hasFailed)
        log.warn(
          errorFields(error),
          spoken({ zh: '通知暂时无法发送，将继续重试', en: 'notices cannot be sent for now, trying again' }),
        )
      hasFailed = true
      for (const [name, ids] of taken) addWaiting(name, ids)
      if (!isClosed) sendIn(resendMs)
    }
  }
  const sendNow = () => {
    clearTimeout(sendTimer)
    sendTimer = undefined
    sending = sending.then(send)
  }
  const sendIn = (delayMs: number) => {
    sendTimer ??= setTimeout(sendNow, delayMs)
  }

  await listen()
  return {
    publish({ name }, ids) {
      if (isClosed) return
      addWaiting(name, ids)
      sendIn(coalesceMs)
    },
    publishAtOnce({ name }, ids) {
      if (isClosed) return
      deliver(name, ids)
      addWaiting(name, ids)
      sendNow()
    },
    tellHere({ name }, ids) {
      deliver(name, ids)
    },
    subscribe({ name }, listener) {
      const own = listeners.get(name) ?? new Set()
      listeners.set(name, own.add(listener as Listener))
      return () => own.delete(listener as Listener)
    },
    async close() {
      isClosed = true
      sendNow()
      clearTimeout(retryTimer)
      clearInterval(probeTimer)
      // Not awaited: its peer may never answer. The attempt fails, and cleans up.
      connecting?.end().catch(() => undefined)
      await sending
      await connection?.end()
      listeners.clear()
    },
  }
}

/**
 * A notice that is delivered exactly when the transaction commits, for a receiver that has no other way to find the
 * change. PostgreSQL keeps a NOTIFY with its transaction, so a rollback drops the notice and no crash can come between
 * the two. Committing transactions that notify wait for each other: not for the hot path.
 */
export function noticeStatement<Id extends string | number>(
  { name }: Notice<Id>,
  ids: NamedIds<NoInfer<Id>>,
): NoticeStatement {
  return { text: 'SELECT pg_notify($1, $2)', values: [channel, textOf(name, ids)] }
}

function textOf(name: string, ids: Ids): string {
  const text = JSON.stringify({ name, ids })
  if (Buffer.byteLength(text) <= payloadLimitBytes) return text
  return JSON.stringify({ name, ids: null })
}
