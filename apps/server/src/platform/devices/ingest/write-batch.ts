// Writes one batch: receipts and entries in one transaction, with plans that are kept.

import type pg from 'pg'
import { isDatabaseAway, isPartitionMissing } from '../../database/database.ts'
import { beginByIndex, type Connection, inTransaction } from '../../database/transaction.ts'
import { WriterDefect } from './defects.ts'
import { findReceipts, insertReceipts } from './receipts.queries.ts'
import { type Pending, StaleBatch, type Writer } from './writer.ts'

/**
 * Writes a batch and returns what its writers want done after the commit. Throws StaleBatch, an error of a repeated
 * message (`isRepeated`), WriterDefect, or the database's error. `isCareful` is for a batch in which a message may be
 * repeated. No statement may take longer than `queryLimitMs`. `now`: by the clock that all processes have, since receipts
 * are kept by the week.
 */
export async function writeBatch(
  pool: pg.Pool,
  batch: readonly Pending[],
  { isCareful, queryLimitMs, now }: { isCareful: boolean; queryLimitMs: number; now: Date },
): Promise<(() => void)[]> {
  return await inTransaction(
    pool,
    { begin: (connection) => beginning(connection, queryLimitMs), queryLimitMs },
    (connection) => write(connection, batch, { isCareful, now }),
  )
}

/**
 * The statements of a batch join up to a thousand given rows with tables of any size, by index. Planning them each
 * time would cost a tenth of the whole. A plan that was made while a table was empty, or a partition new, may scan
 * the whole table later. So plans are kept, scans and hash joins are disabled, and each connection discards its
 * plans whenever its tables may have doubled, and every 3,200 batches after that: such a batch takes 20 ms longer.
 * In the statements OFFSET 0, and LATERAL with LIMIT, keep a lookup by index a lookup.
 *
 * The database ends the transaction of a lost connection after the same time after which this process gives it up:
 * the batch that is done again would wait for its locks. A statement it ends a little earlier: then it has answered, and is
 * not taken for one that is away (`isTooSlow`).
 */
const beginText = `${beginByIndex}; SET LOCAL plan_cache_mode = force_generic_plan`
const plannedAfter = new Set([100, 200, 400, 800, 1_600])
const batchesPerPlan = 3_200
const ofLimit = 0.9
const batchCounts = new WeakMap<Connection, number>()

function beginning(connection: Connection, queryLimitMs: number): string {
  const count = (batchCounts.get(connection) ?? 0) + 1
  batchCounts.set(connection, count)
  const isDue = count % batchesPerPlan === 0 || plannedAfter.has(count)
  const text = `${beginText}; SET LOCAL idle_in_transaction_session_timeout = ${queryLimitMs};
    SET LOCAL statement_timeout = ${Math.ceil(queryLimitMs * ofLimit)}`
  return isDue ? `${text}; DISCARD PLANS` : text
}

async function write(
  connection: Connection,
  batch: readonly Pending[],
  how: { isCareful: boolean; now: Date },
): Promise<(() => void)[]> {
  const fresh = await withoutRepeated(connection, batch, how)
  const byWriter = new Map<Writer<unknown>, unknown[]>()
  for (const { writer, entry } of fresh) {
    const entries = byWriter.get(writer)
    if (entries) entries.push(entry)
    else byWriter.set(writer, [entry])
  }
  const afterCommit: (() => void)[] = []
  const inOrder = [...byWriter].sort(([a], [b]) => Number(a.isLast ?? false) - Number(b.isLast ?? false))
  for (const [writer, entries] of inOrder) {
    const act = await writer.write(connection, entries).catch((error) => {
      throw isDefect(error) ? new WriterDefect(writer.name, error) : error
    })
    if (act) afterCommit.push(act)
  }
  return afterCommit
}

/**
 * Stores the receipts and returns the entries that have to be written. The usual way expects no repeated message and
 * reads nothing; when there is one, the batch is done again with `isCareful`, which reads the receipts first.
 */
async function withoutRepeated(
  connection: Connection,
  batch: readonly Pending[],
  { isCareful, now }: { isCareful: boolean; now: Date },
): Promise<readonly Pending[]> {
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
    if (fresh.length < batch.length) await connection.query(waitForStandby)
  }
  const keys = fresh.filter(hasId)
  if (keys.length > 0) await insertReceipts(connection, keys, now)
  return fresh
}

/**
 * A message that is there already is acknowledged with this transaction, which may have nothing to write: then its commit
 * would not wait for the standby, and the message may be on this machine alone. What stands in the log before this record
 * is at the standby when the record is.
 */
const waitForStandby = `SELECT pg_logical_emit_message(true, 'voltkeep', '')`

const hasId = (pending: Pending): pending is Pending & { messageId: string } => pending.messageId !== null

/**
 * Whether the database refuses the content: SQLSTATE classes 22 and 23 say so, except for a missing partition. Every
 * other error (away, out of memory or disk, deadlock, a missing table) passes or is mended, and the entries wait.
 */
export function isForTheData(error: unknown): boolean {
  return !isPartitionMissing(error) && /^2[23]/.test(sqlStateOf(error) ?? '')
}

/** Whether a statement took longer than it may, while the database was there: it may be for what is written. */
export const isTooSlow = (error: unknown) => sqlStateOf(error) === '57014'

/** Neither the database nor the connection to it says this: a defect of the server. */
const isDefect = (error: unknown) =>
  !(error instanceof StaleBatch) &&
  !isDatabaseAway(error) &&
  sqlStateOf(error) === undefined &&
  (error as { syscall?: string }).syscall === undefined

function sqlStateOf(error: unknown): string | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}
