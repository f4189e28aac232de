// A lease queue over rows that have states of their own: the table is the queue.
//
// Any table will do that has a key and the column `next_at timestamptz NULL`: when somebody has to look at the row
// again, NULL for never, the row is final; and a partial index on it, `(next_at) WHERE next_at IS NOT NULL`. A
// process claims rows that are due by moving their next_at ahead by a lease, so that a process that dies with them
// leaves rows that come due again. SKIP LOCKED keeps several processes from waiting for each other.
//
// An idle queue asks nothing. A timer sleeps until the earliest next_at; who writes an earlier one says so with
// `wake`, in the same transaction. A timer knows nothing of a clock that is set: then the queue looks again.
import type pg from 'pg'
import { createComplaints } from '../../process/complaints.ts'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import { isUnanswered } from '../connections/query-limit.ts'
import { errorFields, isDatabaseAway } from '../database.ts'
import {
  clockJumped,
  type NoticeStatement,
  type Notices,
  notice,
  noticeStatement,
} from '../notices/notices.ts'
import { beginByIndex, type Connection, inTransaction } from '../transaction.ts'
import type { Worker } from './worker.ts'

export interface LeaseQueueOptions<Row> {
  /** Also the queue's name: one queue a table. */
  table: string
  /** The columns of its key. */
  key: readonly string[]
  /** What the handler is given of a row: SQL of a select list, the table being `t`. */
  columns: string
  /** How long a claimed row is out of others' sight, ms; also its pause after the handler failed. */
  leaseMs: number
  /** The most rows of one transaction. */
  batchSize?: number
  /** The longest that a statement of the handler may take, ms; the handler fails on its rows beyond. */
  statementLimitMs?: number
  /**
   * The handler writes the next_at of every row, so that a batch is locked and not leased: a write less for each row. A
   * row that the handler left alone would be claimed again at once, and for ever.
   */
  reschedulesAll?: boolean
  /**
   * Handles rows that are due, in the transaction that claims them. The handler writes the next_at of each; a row that
   * it leaves alone comes due again when its lease runs out. Returns what is to be done after the commit: sending,
   * calling out.
   */
  handle(connection: Connection, rows: Row[]): Promise<(() => void) | undefined>
}

/** Names queues with work to do: `<table> <ms until it is due>`. */
const workDue = notice<string>('workDue')

/**
 * The statement that tells every process that a row of the table comes due after this number of ms. It has to run in
 * the transaction that writes the row's next_at.
 *
 * It is the one exception to the rule that nothing is published inside a transaction, where it could be rolled back:
 * PostgreSQL keeps a NOTIFY with the transaction and delivers it with the commit, or never. A notice sent after the
 * commit could be lost by a crash in between, and then the row would wait until some process looked by chance.
 */
export function wake(table: string, inMs: number): NoticeStatement {
  return noticeStatement(workDue, [`${table} ${Math.max(0, Math.round(inMs))}`])
}

const usualBatchSize = 500
const queryLimitMs = 30_000
/** The database ends a statement itself before that: then the transaction goes on, and the database is not away. */
const usualStatementLimitMs = 25_000
/** The least pause between two looks: rows that come due one by one are claimed together. */
const gatherMs = 100
/** The pause when rows are due and none could be claimed: another process has them locked. */
const lockedPauseMs = 500
const firstPauseMs = 100
const longestPauseMs = 10_000
/**
 * Whether rows may be at fault for it. Where the handler has asked on another connection and waited in vain, the
 * database is away only if that of the transaction is lost as well.
 */
const isOfRows = (error: unknown) => !isDatabaseAway(error) || isUnanswered(error)
/** A timer of Node's ends at 25 days. */
const longestSleepMs = 3_600_000
/** Rows that were put off by a clock that was ahead by less simply wait so much longer. */
const setBackMs = 60_000

/** How a queue takes rows that are due, locks them in place of that, and asks when the next one is. */
export function queueStatements({
  table,
  key,
  columns,
}: Pick<LeaseQueueOptions<unknown>, 'table' | 'key' | 'columns'>) {
  return {
    claimText: `
    WITH due AS MATERIALIZED (
      SELECT ${key.join(', ')} FROM ${table} WHERE next_at <= now() ORDER BY next_at LIMIT $1
      FOR UPDATE SKIP LOCKED
    )
    UPDATE ${table} t SET next_at = now() + $2 * interval '1 ms' FROM due
    WHERE ${key.map((column) => `t.${column} = due.${column}`).join(' AND ')}
    RETURNING ${columns}`,
    lockText: `
    SELECT ${columns} FROM ${table} t WHERE t.next_at <= now() ORDER BY t.next_at LIMIT $1
    FOR UPDATE SKIP LOCKED`,
    // ORDER BY, since min() over a partial index is planned like it only where next_at is known not to be null.
    earliestText: `
    SELECT (extract(epoch FROM next_at - now()) * 1000)::float8 AS "inMs" FROM ${table}
    WHERE next_at IS NOT NULL ORDER BY next_at LIMIT 1`,
  }
}

export function createLeaseQueue<Row>(
  { pool, notices, log }: { pool: pg.Pool; notices: Pick<Notices, 'subscribe'>; log: Log },
  {
    table,
    key,
    columns,
    leaseMs,
    batchSize = usualBatchSize,
    statementLimitMs = usualStatementLimitMs,
    reschedulesAll = false,
    handle,
  }: LeaseQueueOptions<Row>,
): Worker {
  let timer: NodeJS.Timeout | undefined
  /** When the timer fires, by performance.now(). */
  let armedForMs = Number.POSITIVE_INFINITY
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined
  let pauseMs = firstPauseMs
  /** The number of rows still to be claimed one by one: the handler fails on one of them. */
  let singlesLeft = 0
  let isStarted = false
  let isStopped = false
  let stops: (() => void)[] = []
  /** By so much the clock was set back, and rows have not followed yet. */
  let behindMs = 0
  const complain = createComplaints((error, count) =>
    log.error(
      { ...errorFields(error), queue: table, count },
      spoken({
        zh: '后台工作暂时失败，将继续重试',
        en: 'background work has failed for now and is tried again',
      }),
    ),
  )

  const { claimText, lockText, earliestText } = queueStatements({ table, key, columns })

  // What was put off until then had its moment from the clock that was ahead. Handlers know a look that comes early.
  const setBackText = `
    UPDATE ${table} SET next_at = next_at - $1 * interval '1 ms' WHERE next_at > now() + $1 * interval '1 ms'`

  /** Claims a batch and hands it over; returns how many rows there were. */
  async function work(): Promise<number> {
    const isSingle = singlesLeft > 0
    let count = 0
    try {
      const afterCommit = await inTransaction(
        pool,
        { begin: () => `${beginByIndex}; SET LOCAL statement_timeout = ${statementLimitMs}`, queryLimitMs },
        async (connection) => {
          const { rows } = await connection.query(
            reschedulesAll && !isSingle
              ? { name: `work.lock.${table}`, text: lockText, values: [batchSize] }
              : { name: `work.claim.${table}`, text: claimText, values: [isSingle ? 1 : batchSize, leaseMs] },
          )
          count = rows.length
          if (count === 0) return undefined
          return isSingle
            ? await handleSingle(connection, rows as Row[])
            : await handle(connection, rows as Row[])
        },
      )
      if (isSingle) singlesLeft = count === 0 ? 0 : singlesLeft - 1
      afterCommit?.()
      return count
    } catch (error) {
      // Rolled back: the rows are as due as before. Claimed one by one, they show which of them is at fault.
      if (isOfRows(error) && count > 1) singlesLeft = count
      throw error
    }
  }

  /** A row that the handler fails on keeps its lease, and does not stop the others. */
  async function handleSingle(connection: Connection, rows: Row[]): Promise<(() => void) | undefined> {
    await connection.query('SAVEPOINT claimed')
    try {
      return await handle(connection, rows)
    } catch (error) {
      if (!isOfRows(error)) throw error
      await connection.query('ROLLBACK TO SAVEPOINT claimed')
      log.error(
        { err: error, queue: table, row: rows[0] },
        spoken({
          zh: '后台工作处理失败，稍后重试',
          en: 'a piece of background work has failed and is tried again later',
        }),
      )
      return undefined
    }
  }

  async function readEarliestMs(): Promise<number | null> {
    const { rows } = await pool.query<{ inMs: number }>({
      name: `work.earliest.${table}`,
      text: earliestText,
    })
    return rows[0]?.inMs ?? null
  }

  async function run(): Promise<void> {
    try {
      if (behindMs > setBackMs) {
        await pool.query({ text: setBackText, values: [behindMs] })
        behindMs = 0
      }
      let count: number
      do count = await work()
      while (!isStopped && count > 0 && (singlesLeft > 0 || count === batchSize))
      if (isStopped) return
      const inMs = await readEarliestMs()
      const isLocked = count === 0 && inMs !== null && inMs <= 0
      if (inMs !== null) arm(isLocked ? lockedPauseMs : inMs)
      pauseMs = firstPauseMs
    } catch (error) {
      complain(error)
      arm(pauseMs)
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    }
  }

  function arm(delayMs: number): void {
    if (!isStarted || isStopped) return
    const now = performance.now()
    const atMs = Math.max(now + Math.min(delayMs, longestSleepMs), lookedAtMs + gatherMs)
    if (atMs >= armedForMs) return
    clearTimeout(timer)
    armedForMs = atMs
    // One more, since a timer may fire a fraction early.
    timer = setTimeout(fire, Math.max(0, atMs - now) + 1)
  }

  function fire(): void {
    armedForMs = Number.POSITIVE_INFINITY
    timer = undefined
    if (running) {
      // A run that is under way may have looked before the row was there.
      void running.then(() => arm(0))
      return
    }
    lookedAtMs = performance.now()
    running = run().finally(() => {
      running = undefined
    })
  }

  return {
    start() {
      isStarted = true
      stops = [
        notices.subscribe(workDue, (wakes) => {
          // Null after a lost connection: what was missed is not known.
          if (wakes === null) arm(0)
          for (const text of wakes ?? []) {
            const [name, inMs] = text.split(' ')
            if (name === table) arm(Number(inMs))
          }
        }),
        notices.subscribe(clockJumped, (jumps) => {
          for (const byMs of jumps ?? []) behindMs = Math.max(behindMs, -byMs)
          arm(0)
        }),
      ]
      arm(0)
    },
    async stop() {
      isStopped = true
      for (const stop of stops) stop()
      clearTimeout(timer)
      await running
    },
  }
}
