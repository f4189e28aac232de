import pg from 'pg'
import { errorFields } from './database/database.ts'
import type { Log } from './log.ts'

/**
 * What one process of the server tells the others, over the database's NOTIFY, so that a split of roles
 * over processes changes nothing. A notice is a hint: it may be lost with a connection, and who needs to
 * be sure reads the tables again. It is sent after the commit it tells of, never inside a transaction, and again
 * until the database has taken it.
 */
export interface NoticePayloads {
  /** Alarm episodes that opened, changed or recovered; null where there were too many to name. */
  alarmsChanged: { episodeIds: string[] | null }
  /** Devices that came or went; null where there were too many to name. */
  devicesOnline: { deviceIds: number[] | null }
  /** Devices added, changed, moved, re-keyed or deleted: what is cached of them is stale. */
  devicesChanged: { codes: string[] | null }
  /** Dictionary entries or definitions changed. */
  dictionaryChanged: Record<string, never>
  /** The tree of regions changed. */
  regionsChanged: Record<string, never>
}
export type NoticeName = keyof NoticePayloads

export interface Notices {
  /** Sends to every process, this one included; equal kinds within a short while travel together. */
  publish<Name extends NoticeName>(name: Name, payload: NoticePayloads[Name]): void
  /**
   * Calls back for each notice until the returned function is called. After a lost connection every
   * listener is called once with the payload that names nothing: what was missed is not known.
   */
  subscribe<Name extends NoticeName>(
    name: Name,
    listener: (payload: NoticePayloads[Name]) => void,
  ): () => void
  close(): Promise<void>
}

/** How notices of one kind that wait to be sent become one; null stands for "too many to name". */
interface Kind<Payload> {
  /** The names in a payload. A kind without any is the same however often it is said. */
  names(payload: Payload): (string | number)[] | null
  payload(names: (string | number)[] | null): Payload
}

const kinds: { [Name in NoticeName]: Kind<NoticePayloads[Name]> } = {
  alarmsChanged: {
    names: ({ episodeIds }) => episodeIds,
    payload: (episodeIds) => ({ episodeIds: episodeIds as string[] | null }),
  },
  devicesOnline: {
    names: ({ deviceIds }) => deviceIds,
    payload: (deviceIds) => ({ deviceIds: deviceIds as number[] | null }),
  },
  devicesChanged: {
    names: ({ codes }) => codes,
    payload: (codes) => ({ codes: codes as string[] | null }),
  },
  dictionaryChanged: { names: () => [], payload: () => ({}) },
  regionsChanged: { names: () => [], payload: () => ({}) },
}

const channel = 'voltkeep'
const coalesceMs = 200
const resendMs = 1_000
const reconnectMs = 1_000
/** A connection that died without a word (a pulled cable) is found by asking it. */
const probeMs = 15_000
const probeTimeoutMs = 5_000
/** NOTIFY takes less than 8000 bytes. */
const payloadLimitBytes = 7_900
/** That many do not fit in any case: while the database is away no more are remembered. */
const mostNames = payloadLimitBytes / 2

type Listener = (payload: never) => void

/**
 * Starts listening on a connection of its own, made with the pool's settings and made again whenever it
 * is lost. Resolves when it listens. Notices are sent over the pool.
 */
export async function openNotices({ pool, log }: { pool: pg.Pool; log: Log }): Promise<Notices> {
  const listeners = new Map<NoticeName, Set<Listener>>()
  const waiting = new Map<NoticeName, Set<string | number> | null>()
  let sendTimer: NodeJS.Timeout | undefined
  let retryTimer: NodeJS.Timeout | undefined
  let probeTimer: NodeJS.Timeout | undefined
  let connection: pg.Client | undefined
  let sending: Promise<void> = Promise.resolve()
  let hasFailed = false
  let isClosed = false

  const deliver = (name: NoticeName, payload: unknown) => {
    for (const listener of listeners.get(name) ?? []) {
      try {
        listener(payload as never)
      } catch (err) {
        log.error({ err, notice: name }, '通知处理失败')
      }
    }
  }

  const receive = (text: string) => {
    const { name, payload } = JSON.parse(text) as { name: NoticeName; payload: unknown }
    if (name in kinds) deliver(name, payload)
  }

  const listen = async () => {
    const client = new pg.Client({ ...pool.options, keepAlive: true, application_name: 'voltkeep notices' })
    client.on('notification', ({ payload }) => payload && receive(payload))
    // Both come for one loss; the first one counts.
    client.on('error', () => lost(client))
    client.on('end', () => lost(client))
    try {
      await client.connect()
      await client.query(`LISTEN ${channel}`)
    } catch (error) {
      await client.end().catch(() => undefined)
      throw error
    }
    connection = client
    probeTimer = setInterval(() => {
      const answer = client.query('SELECT 1')
      const deadline = setTimeout(() => lost(client), probeTimeoutMs)
      answer.catch(() => lost(client)).finally(() => clearTimeout(deadline))
    }, probeMs)
  }

  const lost = (client: pg.Client) => {
    if (connection !== client || isClosed) return
    log.warn('通知连接中断，正在重连')
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
        if (isClosed) return void (await connection?.end())
      } catch {
        if (!isClosed) reconnect()
        return
      }
      log.info('通知连接已恢复')
      for (const name of Object.keys(kinds) as NoticeName[]) deliver(name, kinds[name].payload(null))
    }, reconnectMs)
  }

  const addWaiting = (name: NoticeName, names: Iterable<string | number> | null) => {
    const already = waiting.get(name)
    if (names === null || already === null) {
      waiting.set(name, null)
      return
    }
    const all = already ?? new Set()
    for (const one of names) all.add(one)
    waiting.set(name, all.size > mostNames ? null : all)
  }

  const send = async () => {
    if (waiting.size === 0) return
    const taken = [...waiting]
    waiting.clear()
    const texts = taken.map(([name, names]) => textOf(name, names ? [...names] : null))
    try {
      await pool.query('SELECT pg_notify($1, text) FROM unnest($2::text[]) AS text', [channel, texts])
      hasFailed = false
    } catch (error) {
      if (!hasFailed) log.warn(errorFields(error), '通知暂时无法发送，将继续重试')
      hasFailed = true
      for (const [name, names] of taken) addWaiting(name, names)
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
    publish(name, payload) {
      if (isClosed) return
      addWaiting(name, kinds[name].names(payload))
      sendIn(coalesceMs)
    },
    subscribe(name, listener) {
      const own = listeners.get(name) ?? new Set()
      listeners.set(name, own.add(listener))
      return () => own.delete(listener)
    },
    async close() {
      isClosed = true
      sendNow()
      clearTimeout(retryTimer)
      clearInterval(probeTimer)
      await sending
      await connection?.end()
      listeners.clear()
    },
  }
}

function textOf(name: NoticeName, names: (string | number)[] | null): string {
  const text = JSON.stringify({ name, payload: kinds[name].payload(names) })
  if (Buffer.byteLength(text) <= payloadLimitBytes) return text
  return JSON.stringify({ name, payload: kinds[name].payload(null) })
}
