// Tables in partitions of an hour to a year: made ahead, dropped when their time is over.

import type pg from 'pg'
import { mayTakeLong } from '../../../platform/database/connections/query-limit.ts'
import { dayOf, startOfDay, startOfMonth } from '../../../platform/process/clock.ts'

/** A table in partitions of some length, each made ahead and dropped whole. Hours and days are those of UTC. */
export interface PartitionedTable {
  name: string
  by: 'hour' | 'day' | 'week' | 'month' | 'year'
  /** The type of the partition key; `hours` are counted since 1970. */
  key: 'moment' | 'date' | 'hours'
  /** Storage parameters of each partition: a partitioned table has none of its own. */
  storage: string
}

/**
 * Insert-only tables are vacuumed early and often: index-only scans need the visibility map. The fill factor
 * leaves room for recoveries (alarm_history) and for growing counts (history_count).
 */
const early = 'autovacuum_vacuum_insert_threshold = 20000, autovacuum_vacuum_insert_scale_factor = 0.01'
export const partitionedTables: readonly PartitionedTable[] = [
  {
    name: 'alarm_history',
    by: 'month',
    key: 'moment',
    storage: `fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, ${early}`,
  },
  { name: 'event_history', by: 'month', key: 'moment', storage: early },
  { name: 'operation_log', by: 'month', key: 'moment', storage: early },
  {
    name: 'history_count',
    by: 'month',
    key: 'date',
    storage: `fillfactor = 80, autovacuum_vacuum_scale_factor = 0.1, ${early}`,
  },
  { name: 'message_receipt', by: 'week', key: 'date', storage: early },
]

/** The oldest months for which late reports are stored. A longer retention only keeps rows. */
const lateMonths = 13
const monthsAhead = 2
const weeksAhead = 1
/** A repeated message is recognized for at least seven days: the week before this one is kept. */
const weeksKept = 1

/** A wait for a table lock blocks every later query on that table. So the wait is short, and repeated. */
const lockTimeoutMs = 1_000
const lockTries = 30

/** One process at a time makes and drops partitions, also when several start at once. */
const lockKey = 7_286_110_452n

/** The moments for which history rows can be stored: from the first month kept to the last one made ahead. */
export function historyWindow(now: Date, retentionDays: number): { from: Date; to: Date } {
  return { from: oldestMonth(now, retentionDays, 'late'), to: startOfMonth(now, 2) }
}

/** The first month whose rows are kept. */
export function firstKeptMonth(now: Date, retentionDays: number): Date {
  return oldestMonth(now, retentionDays, 'kept')
}

function oldestMonth(now: Date, retentionDays: number, which: 'late' | 'kept'): Date {
  const kept = startOfMonth(startOfDay(now, -retentionDays))
  if (which === 'kept') return kept
  const late = startOfMonth(now, -lateMonths)
  return new Date(Math.max(late.getTime(), kept.getTime()))
}

/** A partition to be made: its name is the table's, with the numbers of its beginning from the year on. */
export interface Piece {
  name: string
  from: Date
  to: Date
}

function pieces(table: PartitionedTable, now: Date, retentionDays: number): Piece[] {
  const made: Piece[] = []
  const add = (from: Date, to: Date) => {
    const tag = dayOf(from).replaceAll('-', '_')
    made.push({ name: `${table.name}_${table.by === 'month' ? tag.slice(0, 7) : tag}`, from, to })
  }
  if (table.by === 'month') {
    const last = startOfMonth(now, monthsAhead)
    for (let from = oldestMonth(now, retentionDays, 'late'); from <= last; from = startOfMonth(from, 1)) {
      add(from, startOfMonth(from, 1))
    }
  } else {
    const monday = startOfDay(now, -((now.getDay() + 6) % 7))
    for (let week = -weeksKept; week <= weeksAhead; week += 1) {
      add(startOfDay(monday, week * 7), startOfDay(monday, (week + 1) * 7))
    }
  }
  return made
}

interface Wanted {
  /** The moments that there have to be partitions for. */
  at: readonly Date[]
  retentionDays: number
}

/**
 * Makes the partitions that are missing around the given moments. Ingest goes on: the lock of ATTACH does not conflict
 * with inserts, and a statement that has to wait for a lock gives up after a second and is tried again. Runs before
 * ingest starts, every hour, and where a row has no partition, on connections of the tables' owner. Returns the names.
 */
export async function makePartitions(pool: pg.Pool, { at, retentionDays }: Wanted): Promise<string[]> {
  return await aloneOn(pool, async (client) => {
    const made: string[] = []
    for (const table of partitionedTables) {
      for (const now of at)
        made.push(...(await makeMissing(client, table, pieces(table, now, retentionDays))))
    }
    return made
  })
}

/** Drops the partitions whose time is over, with their counters, in the same way. Returns the names. */
export async function dropPartitions(
  pool: pg.Pool,
  { now = new Date(), retentionDays }: { now?: Date; retentionDays: number },
): Promise<string[]> {
  return await aloneOn(pool, async (client) => {
    const dropped: string[] = []
    const firstKept = firstKeptMonth(now, retentionDays)
    for (const table of partitionedTables) {
      const oldest = table.by === 'month' ? firstKept : pieces(table, now, retentionDays)[0]?.from
      dropped.push(...(await dropOld(client, table, oldest ?? now)))
    }
    await forgetDeltas(client, firstKept)
    return dropped
  })
}

/** Makes those of the pieces that are missing, in the same way: for tables whose features reckon their pieces. */
export const makePieces = (
  pool: pg.Pool,
  wanted: readonly { table: PartitionedTable; pieces: readonly Piece[] }[],
): Promise<string[]> =>
  aloneOn(pool, async (client) => {
    const made: string[] = []
    for (const { table, pieces: all } of wanted) made.push(...(await makeMissing(client, table, all)))
    return made
  })

/** Drops the partitions that end by `oldest`, in the same way. */
export const dropPieces = (
  pool: pg.Pool,
  expired: readonly { table: PartitionedTable; oldest: Date }[],
): Promise<string[]> =>
  aloneOn(pool, async (client) => {
    const dropped: string[] = []
    for (const { table, oldest } of expired) dropped.push(...(await dropOld(client, table, oldest)))
    return dropped
  })

async function aloneOn<T>(pool: pg.Pool, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    return await mayTakeLong(async () => {
      await client.query('SELECT pg_advisory_lock($1)', [lockKey])
      await client.query(`SET lock_timeout = ${lockTimeoutMs}`)
      const result = await work(client)
      await client.query('RESET lock_timeout')
      await client.query('SELECT pg_advisory_unlock($1)', [lockKey])
      return result
    })
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    // After a failure the connection is closed, and the lock and the setting go with it.
    client.release(failure)
  }
}

async function makeMissing(client: pg.ClientBase, table: PartitionedTable, wanted: readonly Piece[]) {
  const present = (await partitionsOf(client, table)).filter(({ isAttached }) => isAttached)
  const made: string[] = []
  for (const piece of wanted) {
    if (present.some(({ name }) => name === piece.name)) continue
    // Hours and days do not follow the zone.
    const { from, to } = table.by === 'hour' || table.by === 'day' ? piece : fitted(piece, present)
    if (from >= to) continue
    await patiently(() => make(client, table, { name: piece.name, from, to }))
    present.push({ name: piece.name, from, to, isAttached: true, isDetaching: false })
    made.push(piece.name)
  }
  return made
}

/** After a change of zone the old months end some hours before or after the new ones begin: fits the bounds. */
function fitted(piece: Piece, present: PresentPartition[]): { from: Date; to: Date } {
  const zoneShiftMs = 27 * 3_600_000
  const isNear = (a: Date | null, b: Date) => a !== null && Math.abs(a.getTime() - b.getTime()) < zoneShiftMs
  const before = present.find(({ to }) => isNear(to, piece.from))
  const after = present.find(({ from }) => isNear(from, piece.to))
  return { from: before?.to ?? piece.from, to: after?.from ?? piece.to }
}

async function dropOld(client: pg.ClientBase, table: PartitionedTable, oldest: Date) {
  const dropped: string[] = []
  for (const partition of await partitionsOf(client, table)) {
    if ((partition.to ?? endByName(table, partition.name)) > oldest) continue
    if (partition.isAttached) await detach(client, table, partition)
    await patiently(() => client.query(`DROP TABLE ${partition.name}`))
    dropped.push(partition.name)
  }
  return dropped
}

/** The latest end of a table without bounds: a partition that a crash left detached. */
function endByName({ name: table, by }: PartitionedTable, name: string): Date {
  const [year = 0, month = 1, day = 1, hour = 0] = name
    .slice(table.length + 1)
    .split('_')
    .map(Number)
  switch (by) {
    case 'hour':
      return new Date(Date.UTC(year, month - 1, day, hour + 1))
    case 'day':
      return new Date(Date.UTC(year, month - 1, day + 1))
    case 'week':
      return new Date(year, month - 1, day + 7)
    case 'month':
      return new Date(year, month, 1)
    case 'year':
      return new Date(year + 1, 0, 1)
  }
}

/** Blocks no reader or writer of other months, and waits for those of this one. */
async function detach(
  client: pg.ClientBase,
  table: PartitionedTable,
  { name, isDetaching }: PresentPartition,
) {
  let isBegun = isDetaching
  await patiently(async () => {
    const how = isBegun ? 'FINALIZE' : 'CONCURRENTLY'
    // The first half stays done when the second one gives up.
    isBegun = true
    try {
      await client.query(`ALTER TABLE ${table.name} DETACH PARTITION ${name} ${how}`)
    } catch (error) {
      const [now] = (await partitionsOf(client, table)).filter((one) => one.name === name)
      isBegun = now?.isDetaching ?? false
      throw error
    }
  })
}

interface PresentPartition {
  name: string
  /** Null for a table that is not attached, because of a crash between two steps. */
  from: Date | null
  to: Date | null
  isAttached: boolean
  isDetaching: boolean
}

async function partitionsOf(client: pg.ClientBase, { name }: PartitionedTable): Promise<PresentPartition[]> {
  const { rows } = await client.query<PresentPartition>(
    `SELECT c.relname AS name,
       i.inhparent IS NOT NULL AS "isAttached",
       coalesce(i.inhdetachpending, false) AS "isDetaching",
       (regexp_match(bound.text, 'FROM [(]''([^'']+)'''))[1]::timestamptz AS "from",
       (regexp_match(bound.text, 'TO [(]''([^'']+)'''))[1]::timestamptz AS "to"
     FROM pg_class c
     JOIN pg_class parent ON parent.oid = $1::regclass AND parent.relnamespace = c.relnamespace
     LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = parent.oid
     CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid)) AS bound (text)
     WHERE c.relkind = 'r' AND c.relname ~ ('^' || $1 || '(_[0-9]+){1,4}$')
     ORDER BY c.relname`,
    [name],
  )
  return rows
}

/** Makes the table first and then attaches it: CREATE TABLE … PARTITION OF would block every insert. */
async function make(
  client: pg.ClientBase,
  table: PartitionedTable,
  { name, from, to }: Piece,
): Promise<void> {
  // With the offset: a bound must not depend on the zone of the session.
  const bounds = {
    date: (at: Date) => `'${dayOf(at)}'`,
    moment: (at: Date) => `'${at.toISOString()}'`,
    hours: (at: Date) => String(Math.floor(at.getTime() / 3_600_000)),
  }
  const bound = bounds[table.key]
  // The table may exist: a crash came before ATTACH, or an administrator has detached it and wants it back.
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${name} (LIKE ${table.name} INCLUDING ALL EXCLUDING IDENTITY) WITH (${table.storage})`,
  )
  await client.query(
    `ALTER TABLE ${table.name} ATTACH PARTITION ${name} FOR VALUES FROM (${bound(from)}) TO (${bound(to)})`,
  )
}

async function forgetDeltas(client: pg.ClientBase, firstKept: Date): Promise<void> {
  await client.query('DELETE FROM history_delta WHERE day < $1', [dayOf(firstKept)])
}

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if ((error as { code?: string }).code !== lockNotAvailable || attempt === lockTries) throw error
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}
const lockNotAvailable = '55P03'
