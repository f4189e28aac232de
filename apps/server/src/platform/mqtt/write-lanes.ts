import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { createComplaints } from '../complaints.ts'
import { errorFields, isDatabaseAway } from '../database/database.ts'
import { withQueryLimit } from '../database/query-limit.ts'
import type { Log } from '../log.ts'
import { createLanes } from './lanes.ts'
import { findReceipts, insertReceipts, isRepeated } from './receipts.queries.ts'

/** A transaction's connection, for statements with a name: prepared once, run a thousand times. */
export type Connection = pg.ClientBase

/** How a kind of entry gets into the database. */
export interface Writer<Entry> {
  /**
   * Writes entries of any devices, those of one device in order of arrival, in the transaction of their
   * batch. Answers what is to be done after the commit.
   */
  write(connection: Connection, entries: Entry[]): Promise<(() => void) | undefined>
}

/** Something about one device that is to be written, and who waits for it. */
export interface Pending<Entry = unknown> {
  deviceId: number
  writer: Writer<Entry>
  entry: Entry
  /** With one, the entry is written once, however often it comes; null is written every time. */
  messageId: string | null
  /** Called once, after the commit; with an error where the entry itself cannot be stored. */
  settled(error?: Error): void
}

export interface WriteLanes {
  put<Entry>(pending: Pending<Entry>): void
  /** How many entries are not settled yet. */
  readonly pendingCount: number
  /** Resolves when all is written; entries that the database does not take now are waited for. */
  drained(): Promise<void>
  /** Gives up what is still waiting: it was not acknowledged, so it will come again. */
  close(): void
}

/** A batch was read on the ground of something that has changed meanwhile: to be done again. */
export class StaleBatch extends Error {}

const batchSize = 1_000
const lingerMs = 5
const firstPauseMs = 20
const longestPauseMs = 2_000
/**
 * No statement of a batch takes more than a second; one may wait for a device whose history is moving. Longer
 * than that and the line is taken for dead, the batch done again on another: receipts tell what was written.
 */
const usualQueryLimitMs = 30_000

/**
 * Everything that devices cause to be written goes through here: gathered by lanes, one transaction a
 * batch, `settled` after the commit. A database that is away or refuses for the moment is tried again
 * without end; an entry that it can never take is found by halving the batch and given up alone.
 */
export function createWriteLanes({
  pool,
  log,
  laneCount = Math.min(Math.max(availableParallelism(), 2), 8),
  queryLimitMs = usualQueryLimitMs,
}: {
  pool: pg.Pool
  log: Log
  laneCount?: number
  queryLimitMs?: number
}): WriteLanes {
  let pendingCount = 0
  let isClosed = false
  const complain = createComplaints((error) =>
    log.error(
      { ...errorFields(error), pendingCount },
      '设备报文暂时无法入库，等待重试（设备不会收到确认，不会丢失）',
    ),
  )
  /** A device may send such entries without end: what was wrong with each stands among the refusals. */
  const warnOfUnstorable = createComplaints((error, count) =>
    log.warn({ err: error, count }, '有设备报文无法入库，已记录并跳过'),
  )
  const lanes = createLanes<Pending>({ count: laneCount, batchSize, lingerMs, run: store })

  async function store(batch: Pending[]): Promise<void> {
    let pauseMs = firstPauseMs
    let isCareful = false
    while (!isClosed) {
      try {
        const afterCommit = await inTransaction(pool, queryLimitMs, (connection) =>
          write(connection, batch, isCareful),
        )
        settle(batch)
        for (const act of afterCommit) act()
        return
      } catch (error) {
        if (error instanceof StaleBatch || isRepeated(error)) {
          // The first time, what has to be looked at again is known by now.
          if (!isCareful) {
            isCareful = true
            continue
          }
        } else if (isForTheData(error)) {
          return await storeApart(batch, error)
        } else {
          complain(error)
        }
        await delay(pauseMs)
        pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      }
    }
    pendingCount -= batch.length
  }

  async function storeApart(batch: Pending[], error: unknown): Promise<void> {
    if (batch.length === 1) {
      warnOfUnstorable(error)
      settle(batch, error instanceof Error ? error : new Error(String(error)))
      return
    }
    const half = Math.ceil(batch.length / 2)
    await store(batch.slice(0, half))
    await store(batch.slice(half))
  }

  function settle(batch: Pending[], error?: Error): void {
    pendingCount -= batch.length
    for (const pending of batch) pending.settled(error)
  }

  return {
    put(pending) {
      pendingCount += 1
      lanes.put(pending.deviceId, pending as Pending)
    },
    get pendingCount() {
      return pendingCount
    },
    drained: () => lanes.drained(),
    close() {
      isClosed = true
    },
  }
}

async function inTransaction<T>(
  pool: pg.Pool,
  queryLimitMs: number,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await pool.connect()
  let failure: Error | undefined
  return await withQueryLimit(queryLimitMs, async () => {
    try {
      await connection.query(beginning(connection, queryLimitMs))
      const result = await work(connection)
      await connection.query('COMMIT')
      return result
    } catch (error) {
      failure = error as Error
      throw error
    } finally {
      if (failure && !isDatabaseAway(failure)) {
        // A connection that cannot even roll back is of no more use.
        failure = await connection.query('ROLLBACK').then(
          () => undefined,
          (error: Error) => error,
        )
      }
      connection.release(failure)
    }
  })
}

/**
 * Batches join a thousand given rows with tables of any size by index. Planned anew each time that would
 * cost a tenth of the whole; planned once, while a table is empty or a partition new, it may scan all of
 * what comes later. So the plans are kept, scans and hashes are not offered, and each connection plans
 * anew as often as tables may have doubled, and later now and then: such a batch takes 20 ms longer. The
 * statements do their part: OFFSET 0 and LATERAL with LIMIT keep a lookup a lookup.
 *
 * What a cut line has left begun is ended by the database in the time in which we notice: the batch that is done
 * again would wait for its locks.
 */
const beginText = `BEGIN;
  SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_material = off;
  SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off`
const plannedAfter = new Set([100, 200, 400, 800, 1_600])
const batchesPerPlan = 3_200
const batchCounts = new WeakMap<Connection, number>()

function beginning(connection: Connection, queryLimitMs: number): string {
  const count = (batchCounts.get(connection) ?? 0) + 1
  batchCounts.set(connection, count)
  const isDue = count % batchesPerPlan === 0 || plannedAfter.has(count)
  const text = `${beginText}; SET LOCAL idle_in_transaction_session_timeout = ${queryLimitMs}`
  return isDue ? `${text}; DISCARD PLANS` : text
}

async function write(connection: Connection, batch: Pending[], isCareful: boolean): Promise<(() => void)[]> {
  const fresh = await withoutRepeated(connection, batch, isCareful)
  const byWriter = new Map<Writer<unknown>, unknown[]>()
  for (const { writer, entry } of fresh) {
    const entries = byWriter.get(writer)
    if (entries) entries.push(entry)
    else byWriter.set(writer, [entry])
  }
  const afterCommit: (() => void)[] = []
  for (const [writer, entries] of byWriter) {
    const act = await writer.write(connection, entries)
    if (act) afterCommit.push(act)
  }
  return afterCommit
}

/**
 * Files the receipts. The plain way expects no repeated message and so reads nothing back; where there
 * was one, the batch is done again the careful way, which asks first.
 */
async function withoutRepeated(
  connection: Connection,
  batch: Pending[],
  isCareful: boolean,
): Promise<Pending[]> {
  const now = new Date()
  let fresh = batch
  if (isCareful) {
    const keys = batch.map(({ deviceId, messageId }) => ({ deviceId, messageId: messageId ?? '' }))
    const known = await findReceipts(connection, keys, now)
    const seen = new Set<string>()
    fresh = batch.filter(({ deviceId, messageId }, index) => {
      if (messageId === null) return true
      const key = `${deviceId} ${messageId}`
      if (known.has(index) || seen.has(key)) return false
      seen.add(key)
      return true
    })
  }
  const keys: { deviceId: number; messageId: string }[] = []
  for (const { deviceId, messageId } of fresh) {
    if (messageId !== null) keys.push({ deviceId, messageId })
  }
  if (keys.length > 0) await insertReceipts(connection, keys, now)
  return fresh
}

/**
 * Is it the data's fault? Class 22 and 23 say so, except a missing partition; and whatever did not come
 * from the database is a defect of ours that one entry has met. All else (away, out of memory or disk,
 * deadlock, a missing table) passes or is mended, and the entries wait.
 */
function isForTheData(error: unknown): boolean {
  if (isDatabaseAway(error)) return false
  const { code, routine } = error as { code?: string; routine?: string }
  if (routine === 'ExecFindPartition') return false
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return /^2[23]/.test(code)
  return !(error as { syscall?: string }).syscall
}
