// The processes on one database. Each has a row of the table `node` and a lease of it, renewed by the database's clock.
// A process whose lease has ended may be taken for gone by all others: it must do nothing any more that only the holder
// of something may do, and it need not be told so. It finds out by its steady clock, which goes on while it is stopped;
// and what it had begun before is refused by the statement that would have the effect, since that asks for the lease.
import type pg from 'pg'
import { Counter, Gauge, type Registry } from 'prom-client'
import { followClock } from '../../process/clocks/shared-clock.ts'
import { createComplaints } from '../../process/complaints.ts'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import { withQueryLimit } from '../connections/query-limit.ts'
import { errorFields, ownPool } from '../database.ts'

/** What a process says of itself. */
export interface NodeFacts {
  name: string
  address: string
  roles: readonly string[]
  version: string
}

/** What it says at each renewal; null where it takes no devices. */
export interface NodeFigures {
  deviceCount: number | null
  /** For how long the oldest report waits that is not committed. */
  lagMs: number | null
}

export interface Nodes {
  /** The id of this process; another one when its lease had ended and it has taken a new one. */
  readonly id: number
  /** Whether the lease is surely held: false at the latest when others may take it for ended. */
  readonly isHeld: boolean
  /** Other processes with the role ingest that hold their lease and stay, as of the last renewal. */
  readonly others: ReadonlySet<number>
  /** For how long what was held by a process is nobody's after its lease has ended, ms. */
  readonly freeAfterMs: number
  /** Whether the other process may be there: it held its lease at the last renewal, or has come since. */
  mayBeThere(id: number): boolean
  /** Now, by the clock of the database, ms since 1970: the same in every process, whatever its own clock shows. */
  now(): number
  /** What its renewals say. */
  tell(figures: () => NodeFigures): void
  /**
   * The lease had ended, and this process has a new one under another id. What it held is its own only where nobody has
   * taken it meanwhile. Until this resolves, `isHeld` is false; it is called again where it fails.
   */
  onSucceeded(listener: (formerId: number, id: number) => Promise<void>): void
  /**
   * Leases have ended so long ago that what was held by them is free (`freeAfterMs`), and this process has been there
   * all the while. Called again with the next renewal until it resolves.
   */
  onFreed(listener: () => Promise<void>): void
  /** From now on this process is said to be leaving. */
  leave(): Promise<void>
  /** Gives the lease back. */
  close(): Promise<void>
}

/** What a process tells Prometheus of its lease and of the others. */
export function observeNodes(
  nodes: Nodes,
  { metrics, version }: { metrics: Registry; version: string },
): void {
  new Gauge({
    name: 'voltkeep_build_info',
    help: 'The release of this process',
    labelNames: ['version'],
    registers: [metrics],
  }).set({ version }, 1)
  new Gauge({
    name: 'voltkeep_node_lease_held',
    help: 'Whether this process holds its lease: it takes devices and sends them commands',
    registers: [metrics],
    collect() {
      this.set(Number(nodes.isHeld))
    },
  })
  new Gauge({
    name: 'voltkeep_nodes_others',
    help: 'Other processes that take devices',
    registers: [metrics],
    collect() {
      this.set(nodes.others.size)
    },
  })
  const ended = new Counter({
    name: 'voltkeep_node_leases_ended_total',
    help: 'How often the lease of this process had ended and was taken anew',
    registers: [metrics],
  })
  nodes.onSucceeded(async () => ended.inc())
}

const usualLeaseMs = 12_000
const usualRenewMs = 3_000
/** One keepalive of a device: it may connect to another process, or to the next run of this one. */
const usualFreeAfterMs = 60_000
const queryLimitMs = 5_000
/** By how much the clocks of two machines may go apart. */
const drift = 0.0005
/** For the page that shows them. */
const keptDays = 1

const registerText = `
  INSERT INTO node (name, address, roles, version, started_at, leased_at, lease_until, is_draining)
  SELECT $1, $2, $3, $4, coalesce((SELECT started_at FROM node WHERE id = $6), clock_timestamp()), clock_timestamp(),
    clock_timestamp() + $5 * interval '1 ms', $7
  RETURNING id, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`

const renewText = `
  WITH mine AS (
    UPDATE node SET lease_until = clock_timestamp() + $2 * interval '1 ms', device_count = $3, lag_ms = $4,
      is_draining = $5, address = $7
    WHERE id = $1 AND lease_until > clock_timestamp()
    RETURNING id, leased_at
  )
  SELECT EXISTS (SELECT FROM mine) AS "isRenewed",
    (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs",
    ARRAY(
      SELECT n.id FROM node n
      WHERE n.id <> $1 AND n.lease_until > clock_timestamp() AND NOT n.is_draining AND 'ingest' = ANY (n.roles)
    ) AS others,
    EXISTS (SELECT FROM mine WHERE leased_at < clock_timestamp() - $6 * interval '1 ms') AS "isSettled",
    EXISTS (
      SELECT FROM node n WHERE n.swept_at IS NULL AND n.lease_until < clock_timestamp() - $6 * interval '1 ms'
    ) AS "isFreed"`

interface News {
  isRenewed: boolean
  nowMs: number
  others: number[]
  /** This lease is older than what was held by others has to wait. */
  isSettled: boolean
  isFreed: boolean
}

/** Registers this process and keeps its lease, over a connection of its own: the pool's may all be in use. */
export async function openNodes({
  pool,
  log,
  facts,
  leaseMs = usualLeaseMs,
  renewMs = usualRenewMs,
  freeAfterMs = usualFreeAfterMs,
}: {
  pool: pg.Pool
  log: Log
  /** Asked again at each renewal: ports are known when they are open. */
  facts: () => NodeFacts
  leaseMs?: number
  renewMs?: number
  freeAfterMs?: number
}): Promise<Nodes> {
  const own = ownPool(pool, 'node')
  const succeeding: ((formerId: number, id: number) => Promise<void>)[] = []
  const freeing: (() => Promise<void>)[] = []
  let id = 0
  /** Whose succession is not complete yet. */
  let formerId: number | null = null
  let heldUntilMs = Number.NEGATIVE_INFINITY
  let others: ReadonlySet<number> = new Set()
  let clock = { databaseMs: 0, steadyMs: 0, unsureMs: Number.POSITIVE_INFINITY }
  let figures = (): NodeFigures => ({ deviceCount: null, lagMs: null })
  let isLeaving = false
  let isClosed = false
  let isFreeing = false
  /** What no process has, of which there is no row any more, has been looked for since the start. */
  let hasLooked = false
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> = Promise.resolve()
  let closing: Promise<void> | undefined
  const complain = createComplaints((error, count) =>
    log.warn(
      { ...errorFields(error), count },
      spoken({
        zh: '本进程在数据库中的租约暂时无法续期，将继续重试',
        en: 'the lease of this process in the database cannot be renewed for now, trying again',
      }),
    ),
  )

  const ask = async <Row extends pg.QueryResultRow>(text: string, values: unknown[]) => {
    const askedMs = performance.now()
    const { rows } = await withQueryLimit(queryLimitMs, () => own.query<Row>(text, values))
    const answeredMs = performance.now()
    const [row] = rows
    const { nowMs } = row as unknown as { nowMs: number }
    // Of the moment in between, give or take half of the way: a slow answer says less than a quick one of before, unless
    // one of the clocks was set since.
    const told = {
      databaseMs: nowMs,
      steadyMs: (askedMs + answeredMs) / 2,
      unsureMs: (answeredMs - askedMs) / 2,
    }
    const ageMs = answeredMs - clock.steadyMs
    const unsureMs = clock.unsureMs + ageMs * drift
    const offMs = Math.abs(told.databaseMs - clock.databaseMs - (told.steadyMs - clock.steadyMs))
    if (told.unsureMs <= unsureMs || offMs > told.unsureMs + unsureMs) clock = told
    return { row: row as Row, askedMs }
  }

  async function register(former: number | null): Promise<number> {
    const { name, address, roles, version } = facts()
    const { row, askedMs } = await ask<{ id: number }>(registerText, [
      name,
      address,
      roles,
      version,
      leaseMs,
      former,
      isLeaving,
    ])
    id = row.id
    return askedMs
  }

  async function renew(): Promise<void> {
    const { deviceCount, lagMs } = figures()
    const { row: news, askedMs } = await ask<News & pg.QueryResultRow>(renewText, [
      id,
      leaseMs,
      deviceCount,
      lagMs === null ? null : Math.round(lagMs),
      isLeaving,
      freeAfterMs,
      facts().address,
    ])
    others = new Set(news.others)
    if (news.isRenewed) {
      await succeed(askedMs)
      if (news.isSettled && (news.isFreed || !hasLooked)) free()
      return
    }
    log.warn(
      { node: id },
      spoken({
        zh: '本进程的租约已过期，重新取得；期间已连到其他进程的设备在此断开',
        en: 'the lease of this process has ended and is taken anew; devices that have connected elsewhere meanwhile are disconnected here',
      }),
    )
    formerId ??= id
    await succeed(await register(formerId))
  }

  async function succeed(askedMs: number): Promise<void> {
    if (formerId !== null) {
      const former = formerId
      await Promise.all(succeeding.map((listener) => listener(former, id)))
      await own.query('UPDATE node SET succeeded_by = $2 WHERE id = $1', [former, id])
      formerId = null
    }
    heldUntilMs = askedMs + leaseMs
  }

  /** Not within the renewal: it may take longer than a lease. */
  function free(): void {
    if (isFreeing || freeing.length === 0) return
    isFreeing = true
    const freed = async () => {
      const { rows } = await own.query<{ ids: number[] }>(
        `SELECT coalesce(array_agg(id), '{}') AS ids FROM node
         WHERE swept_at IS NULL AND lease_until < clock_timestamp() - $1 * interval '1 ms'`,
        [freeAfterMs],
      )
      for (const listener of freeing) await listener()
      hasLooked = true
      await own.query('UPDATE node SET swept_at = clock_timestamp() WHERE id = ANY ($1)', [
        rows[0]?.ids ?? [],
      ])
      await own.query(`DELETE FROM node WHERE swept_at < now() - $1 * interval '1 day'`, [keptDays])
    }
    void freed()
      .catch(complain)
      .finally(() => {
        isFreeing = false
      })
  }

  const next = () => {
    if (isClosed) return
    timer = setTimeout(() => {
      working = renew().catch(complain).finally(next)
    }, renewMs)
  }

  async function end(): Promise<void> {
    isClosed = true
    unfollow()
    clearTimeout(timer)
    await working
    await own
      .query(
        'UPDATE node SET lease_until = least(lease_until, clock_timestamp()), stopped_at = clock_timestamp() WHERE id = $1',
        [id],
      )
      .catch(complain)
    heldUntilMs = Number.NEGATIVE_INFINITY
    await own.end()
  }

  heldUntilMs = (await register(null)) + leaseMs
  // The steady clock goes on where the one of the machine is set; each renewal compares it with the database's.
  const now = () => Math.round(clock.databaseMs + performance.now() - clock.steadyMs)
  const unfollow = followClock(now)
  await renew()
  next()
  return {
    get id() {
      return id
    },
    get isHeld() {
      return performance.now() < heldUntilMs && formerId === null
    },
    get others() {
      return others
    },
    freeAfterMs,
    // Ids ascend.
    mayBeThere: (other) => others.has(other) || other > Math.max(id, ...others),
    now,
    tell(asked) {
      figures = asked
    },
    onSucceeded: (listener) => void succeeding.push(listener),
    onFreed: (listener) => void freeing.push(listener),
    async leave() {
      isLeaving = true
      await working
      await renew().catch(complain)
    },
    close: () => {
      closing ??= end()
      return closing
    },
  }
}
