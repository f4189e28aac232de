// The connection pool, how PostgreSQL's types arrive in JavaScript, and which errors mean that the database is away.

import { AsyncResource } from 'node:async_hooks'
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { createComplaints } from '../process/complaints.ts'
import { parseDatabaseAddress, placeOfDatabase } from '../process/database-address.ts'
import type { Log } from '../process/log.ts'
import { spoken } from '../process/sentences.ts'
import { StartupError } from '../process/startup-error.ts'
import { startupTexts } from '../process/startup-texts.ts'
import { type StatementWork, tracedStatements } from '../process/telemetry/tracing.ts'
import { createHosts, type Hosts, primaryAddress, primaryText } from './connections/hosts.ts'
import { keepPulse, Pulse } from './connections/pulse.ts'
import { type Answer, limited, withQueryLimit } from './connections/query-limit.ts'
import { parseTimestamp } from './connections/timestamps.ts'
import type { Database } from './tables.ts'

/** The first argument of every query: the database, or a transaction on it. */
export type Db = Kysely<Database>

/** For locks, and for writes that belong together. */
export type Trx = Transaction<Database>

export interface DatabaseOptions {
  url: string
  /** The setting that `url` comes from. */
  setting?: string
  /** The zone in which SQL reads and writes local times: `date_trunc`, `::date`, `to_char`. */
  zone: string
  poolSize: number
  log?: Log
  /** Shown in pg_stat_activity. */
  applicationName?: string
  /** How long a query may take, unless query-limit.ts sets another limit. */
  queryLimitMs?: number
  /** How long a query waits for a connection, and a new connection for the database. */
  connectLimitMs?: number
}

export interface OpenDatabase {
  db: Db
  /** For what Kysely does not do: COPY, LISTEN, statements of the ingest's hot path. */
  pool: pg.Pool
  /** Answers when the database does: the readiness probe. Throws what `isDatabaseAway` knows. */
  ping(): Promise<void>
  /** Calls back when a row could not be written because its table has no partition for it. */
  onMissingPartition(listener: () => void): void
  close(): Promise<void>
}

const usualConnectLimitMs = 10_000
/**
 * A new connection has an empty catalog cache and no plans. With pg-pool's default of 10 s, lists took 5 to 15 ms
 * longer after a pause, and ingest got cold connections at every rise of its load.
 */
const idleTimeoutMs = 600_000
const idleInTransactionLimitMs = 60_000
/**
 * When a peer vanishes without closing the connection (a firewall dropped its state, a machine lost power), the
 * kernel retransmits for a quarter of an hour. TCP keepalive probes an idle connection after 10 s of silence and
 * then every second; ten unanswered probes end it. While a query runs only its own limit helps: no call takes a
 * minute, and proxies do not wait longer either.
 */
const keepAliveDelayMs = 10_000
const usualQueryLimitMs = 60_000

/**
 * How many explicit joins the planner may reorder together; PostgreSQL's default is 8. Lists join the rows of one
 * page to eight tables of names. Trying every order took 5.7 ms of planning for 0.5 ms of reading; with 4 it takes
 * 1.8 ms, for the same plan. So joins are written in the order in which they should run.
 */
const joinCollapseLimit = 4

/**
 * How PostgreSQL's types arrive in JavaScript, everywhere:
 *
 * - int8 and numeric stay text: ids are text on the wire, and a number would lose digits. `count(*)`
 *   is an int8; say `Number(...)` or `::int4` where it is known to be small;
 * - date stays `YYYY-MM-DD`: a Date would put it at midnight in some zone;
 * - timestamptz is a Date; json and jsonb are parsed; bytea is a Buffer.
 */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.DATE && format !== 'binary') return (text: string) => text
    if (oid === pg.types.builtins.TIMESTAMPTZ && format !== 'binary') return parseTimestamp
    return pg.types.getTypeParser(oid, format as 'text')
  },
}

interface OwnOptions {
  queryLimitMs: number
  hosts: Hosts
  pulse: Pulse
  missingPartition: () => void
}

/**
 * Queries by callback and makes the promise itself. With pg's own promises, what a connection has answered stays
 * reachable from older answers: V8's young collections then keep it all, and reading 100,000 rows left 45 MB in the old
 * space until the next full collection. Made here, they leave 3 MB.
 *
 * Connects to the host that accepts writes, and does not take a commit for one that no standby is known to have.
 */
class Client extends pg.Client {
  readonly #queryLimitMs: number
  readonly #pulse: Pulse
  readonly #missingPartition: () => void
  readonly #hosts: Hosts
  #generation = 0
  /** The wait for the standby was cancelled: the commit is on this machine alone. */
  #isUnsure = false

  constructor(options: pg.ClientConfig & OwnOptions) {
    super(options)
    this.#hosts = options.hosts
    this.#generation = options.hosts.generation
    this.on('notice', ({ code, routine }) => {
      if (code === '01000' && routine === 'SyncRepWaitForLSN') this.#isUnsure = true
    })
    this.#queryLimitMs = options.queryLimitMs
    this.#pulse = options.pulse
    this.#missingPartition = options.missingPartition
  }

  /** Made before a failover, as far as this process knows. */
  get isStale(): boolean {
    return this.#generation !== this.#hosts.generation
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's overloads, with a callback and without.
  override connect(done?: any): any {
    const connecting = this.#connectToPrimary()
    if (!done) return connecting.then(() => this)
    connecting.then(
      () => done(),
      (error: unknown) => done(error),
    )
    return undefined
  }

  async #connectToPrimary(): Promise<void> {
    this.#generation = this.#hosts.generation
    let primary: Awaited<ReturnType<Hosts['find']>>
    try {
      primary = await this.#hosts.find()
      if (primary) {
        this.host = primary.host.replace(/^\[(.*)\]$/, '$1')
        this.port = primary.port
      }
      await super.connect()
    } catch (error) {
      this.#hosts.forget()
      if (isDatabaseAway(error)) this.#pulse.miss()
      throw error
    }
    if (!primary) return
    const { rows } = await this.query(primaryText)
    if (rows[0].isPrimary) return
    this.#hosts.lost(this.#generation)
    await this.end()
    throw Object.assign(new Error('the host accepts no writes any more'), { code: '25006' })
  }

  /** Ends the connection when no answer comes in time. */
  #limited(answer: Answer): Answer {
    return limited(this, this.#queryLimitMs, (failure, result) => {
      const error = failure ?? (this.#isUnsure ? new UnsureCommit() : null)
      this.#isUnsure = false
      if (isDatabaseAway(error)) {
        this.#pulse.miss()
        if (isFailover(error)) this.#hosts.lost(this.#generation)
        else this.#hosts.forget()
      } else {
        this.#pulse.beat()
      }
      if (error && isPartitionMissing(error)) this.#missingPartition()
      answer(error, result)
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: any of what pg takes, and what it answers to each.
  override query(...asked: any[]): any {
    const [first] = asked
    if (typeof first?.submit === 'function') return ask.apply(this, asked)
    if (tracedStatements.hasSubscribers) return this.#traced(asked)
    return this.#query(asked)
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  #traced(asked: any[]): any {
    const [first] = asked
    const work: StatementWork = { text: typeof first === 'string' ? first : String(first?.text) }
    const told = (error: unknown) => {
      work.error = error
      tracedStatements.asyncEnd.publish(work)
    }
    return tracedStatements.start.runStores(work, () => {
      const answer = asked.at(-1)
      if (typeof answer === 'function') {
        const telling: Answer = (error, result) => {
          told(error)
          answer(error, result)
        }
        return this.#query([...asked.slice(0, -1), telling])
      }
      const answered: Promise<unknown> = this.#query(asked)
      answered.then(() => told(null), told)
      return answered
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  #query(asked: any[]): any {
    if (typeof asked.at(-1) === 'function')
      return ask.call(this, ...asked.slice(0, -1), this.#limited(asked.at(-1)))
    return new Promise((resolve, reject) => {
      const answer = this.#limited((error, result) => (error ? reject(error) : resolve(result)))
      ask.call(this, ...asked, answer)
    })
  }
}
// biome-ignore lint/suspicious/noExplicitAny: as above.
const ask: (this: pg.Client, ...asked: any[]) => any = pg.Client.prototype.query

/**
 * pg-pool calls a waiting `connect` inside the `release` of another caller. Without the binding its queries would run
 * in that caller's async context, and with that caller's time limit.
 */
class Pool extends pg.Pool {
  // biome-ignore lint/suspicious/noExplicitAny: pg's overloads, with a callback and without.
  override connect(done?: any): any {
    const { pulse } = this.options as unknown as OwnOptions
    const askedAtMs = performance.now()
    const told = (error: unknown) => {
      const isBusy = hasWaitedInVain(error) && pulse.hasBeatSince(askedAtMs)
      return isBusy ? new PoolBusyError() : error
    }
    if (!done) {
      return new Promise((resolve, reject) =>
        this.connect((error: unknown, client: pg.PoolClient) => (error ? reject(error) : resolve(client))),
      )
    }
    const take = () =>
      super.connect(
        AsyncResource.bind((error: unknown, client: pg.PoolClient | undefined, release: unknown) => {
          // After a failover the pool is thrown away, connection by connection.
          if (client && (client as unknown as Client).isStale) {
            client.release(true)
            take()
          } else {
            done(told(error), client, release)
          }
        }),
      )
    return take()
  }
}

const waitedInVain = 'timeout exceeded when trying to connect'
const hasWaitedInVain = (error: unknown) => error instanceof Error && error.message === waitedInVain

/**
 * The transaction has committed, but the wait for the standby was cancelled: should this machine be lost, so is what was
 * written. Whoever has been promised nothing writes it again, and finds it there.
 */
class UnsureCommit extends Error {
  /** transaction_resolution_unknown */
  readonly code = '08007'

  constructor() {
    super('the wait for the synchronous standby was cancelled')
  }
}

/** All connections stayed in use for as long as a query waits for one, while the database answered. */
class PoolBusyError extends Error {
  constructor() {
    super(`${waitedInVain}: all connections are in use`)
  }
}
/** The database is not away in this case: HTTP answers that the server is busy, and background work tries again. */
export const isPoolBusy = (error: unknown): boolean => error instanceof PoolBusyError

/** Opens the pool and proves that the database answers; a StartupError says what to do when it does not. */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const pulse = new Pulse()
  let missingPartition = () => {}
  const pool = openPool(options, { pulse, missingPartition: () => missingPartition() })
  const ping = async () => {
    await pool.query('SELECT 1')
  }
  try {
    await ping()
  } catch (error) {
    await pool.end()
    throw new StartupError(cannotOpen(options, error))
  }
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  keepPulse(db, pulse)
  // Not db.destroy(): it closes the pool only if Kysely itself has used it.
  return {
    db,
    pool,
    ping,
    onMissingPartition(listener) {
      missingPartition = listener
    },
    close: () => pool.end(),
  }
}

/** A pool that connects at its first query. */
export function openPool(
  options: DatabaseOptions,
  {
    pulse = new Pulse(),
    missingPartition = () => {},
  }: Partial<Pick<OwnOptions, 'pulse' | 'missingPartition'>> = {},
): pg.Pool {
  const { url, zone, poolSize, log, applicationName = 'voltkeep' } = options
  const { queryLimitMs = usualQueryLimitMs, connectLimitMs = usualConnectLimitMs } = options
  const pool = new Pool({
    Client,
    connectionString: withOneHost(url),
    hosts: createHosts(url),
    max: poolSize,
    connectionTimeoutMillis: connectLimitMs,
    idleTimeoutMillis: idleTimeoutMs,
    application_name: applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    queryLimitMs,
    pulse,
    missingPartition,
    types,
    // A query on the new connection, and not a startup parameter, which poolers refuse.
    // oxlint-disable-next-line typescript/no-misused-promises -- pg-pool waits for it; its types do not say so
    onConnect: (client: pg.ClientBase) =>
      withQueryLimit(connectLimitMs, async () => {
        await client.query(
          `SELECT set_config('TimeZone', $1, false), set_config('idle_in_transaction_session_timeout', $2, false),
             set_config('join_collapse_limit', $3, false)`,
          [zone, String(idleInTransactionLimitMs), String(joinCollapseLimit)],
        )
        // Ends a query whose client has disconnected, which otherwise runs on and waits for locks. A statement of
        // its own, since PostgreSQL on Windows refuses it.
        await client
          .query(`SELECT set_config('client_connection_check_interval', $1, false)`, [
            String(Math.ceil(queryLimitMs / 6)),
          ])
          .catch(() => undefined)
      }),
  } as unknown as pg.PoolConfig)
  // A broken idle connection is replaced at its next use; without a listener its error would end the process.
  // Errors while the pool closes are of no interest.
  keepPulse(pool, pulse)
  const complain = createComplaints((error, count) =>
    log?.warn(
      { ...errorFields(error), count },
      spoken({ zh: '数据库连接中断', en: 'a connection to the database was lost' }),
    ),
  )
  pool.on('error', (err) => pool.ending || complain(err))
  // The same for a connection that breaks while it is checked out: the pool does not listen then.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** A connection like those of the pool, beside it. */
export const newClient = (pool: pg.Pool, own: pg.ClientConfig): pg.Client =>
  new Client({ ...(pool.options as unknown as pg.ClientConfig & OwnOptions), ...own })

/** How the pool connects now, for a client of pg's own. */
export async function connectionOf(pool: pg.Pool): Promise<pg.ClientConfig> {
  const { hosts } = pool.options as unknown as OwnOptions
  return { ...pool.options, connectionString: await primaryAddress(hosts.address) }
}

/** For pg, which reads one host; the client takes the one that accepts writes. */
function withOneHost(url: string): string {
  const { hosts, withHost } = parseDatabaseAddress(url)
  return hosts[0] && hosts.length > 1 ? withHost(hosts[0]) : url
}

/** One connection like those of the pool, for what must not wait until one of them is free. */
export function ownPool(pool: pg.Pool, purpose: string): pg.Pool {
  const own = new Pool({
    ...pool.options,
    max: 1,
    application_name: `${pool.options.application_name} ${purpose}`,
  })
  // Whoever asks is told of it.
  own.on('error', () => undefined)
  own.on('connect', (client) => client.on('error', () => undefined))
  return own
}

function cannotOpen({ url, setting = 'DATABASE_URL' }: DatabaseOptions, error: unknown): string {
  const { code, message } = error as { code?: string; message: string }
  const place = placeOfDatabase(url) || setting
  switch (code) {
    case '28P01':
    case '28000':
      return startupTexts.databaseRefuses(place, setting)
    case '3D000':
      return startupTexts.noDatabase(place, setting)
    default:
      return startupTexts.databaseAway(place, code ?? message, setting)
  }
}

const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '53300', // too_many_connections
  '25006', // read_only_sql_transaction: a standby, or a primary that has become one
])

/** The host is not, or not any more, the one that accepts writes: its other connections are of no use either. */
function isFailover(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && (['25006', '57P01', '57P03'].includes(code) || code.startsWith('08'))
}

/** Messages of pg and its pool that have no code. */
const awayMessages = [
  'Connection terminated',
  waitedInVain,
  'Client has encountered a connection error',
  'Client was closed',
  'Cannot use a pool after calling end',
]

/** True when the database could not be reached at all. Answered with the refusal `databaseAway`, or retried. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  // A DOMException's code, e.g. of a call that was aborted, is a number.
  if (typeof code === 'string' && (awayCodes.has(code) || code.startsWith('08'))) return true
  if (code === 'ENOENT') return syscall === 'connect' // The socket of a stopped embedded database.
  return awayMessages.some((text) => error.message.startsWith(text))
}

/** True when the database could not write for lack of room on its disk (disk_full). */
export const isDiskFull = (error: unknown) => (error as { code?: unknown }).code === '53100'

/** True when a table has no partition for a row: the clock has jumped. It is made, so the write is to be repeated. */
export const isPartitionMissing = (error: unknown) =>
  (error as { routine?: unknown }).routine === 'ExecFindPartition'

/** The fields of a log line about an error. For a database that is away the message is enough: a stack says nothing. */
export function errorFields(error: unknown): { reason: string } | { err: unknown } {
  return isDatabaseAway(error) ? { reason: (error as Error).message } : { err: error }
}
