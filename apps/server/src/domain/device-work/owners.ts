// What rows of work belong to (a task, a batch): a row of its own with `next_at` and `target_count`, looked at by a
// queue, soon after its rows have changed.
import { sql } from 'kysely'
import type pg from 'pg'
import { type Db, errorFields, type Trx } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { kyselyOn } from '../../platform/database/statements.ts'
import { planFreely } from '../../platform/database/transaction.ts'
import { createLeaseQueue, wake } from '../../platform/database/work/lease-queue.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import type { Log } from '../../platform/process/log.ts'
import { type Sentence, spoken } from '../../platform/process/sentences.ts'

/** Rows that change within this time bring the look at their owner forward together. */
const gatherMs = 100
/** The least and the longest pause between two looks at an owner that changes, ms; a large one takes longer to count. */
const leastPauseMs = 300
const longestPauseMs = 5_000
const leaseMs = 60_000

/**
 * Has the queue look at owners soon after their rows changed. Runs after the commit that changed them, and on a
 * connection of its own: in that transaction the reports of a hundred thousand devices would wait for one row. If it is
 * lost, the owner is looked at within a minute all the same.
 */
export function createReschedule(
  { db, pool, log }: { db: Db; pool: pg.Pool; log: Log },
  { table, rowsPerMs, failed }: { table: string; rowsPerMs: number; failed: Sentence },
) {
  let waiting = new Set<number>()
  let timer: NodeJS.Timeout | undefined
  const complain = createComplaints((error, count) =>
    log.warn({ ...errorFields(error), count }, spoken(failed)),
  )

  async function send(): Promise<void> {
    timer = undefined
    const ids = [...waiting]
    waiting = new Set()
    try {
      const inMs = await bringForward(db, table, ids, rowsPerMs)
      if (inMs !== null) await pool.query(wake(table, inMs))
    } catch (error) {
      complain(error)
    }
  }

  return {
    /** Owners of rows that have changed. */
    changed(ids: Iterable<number>): void {
      for (const id of ids) waiting.add(id)
      if (waiting.size === 0 || timer) return
      timer = setTimeout(() => void send(), gatherMs)
      timer.unref()
    },
  }
}

/**
 * Returns in how many ms the first is looked at; null where none is open or all are looked at sooner. An owner that is
 * being looked at is waited for: that look may have counted before the change, and it will set the next time.
 */
export async function bringForward(
  db: Db,
  table: string,
  ids: readonly number[],
  rowsPerMs: number,
): Promise<number | null> {
  const owner = sql.table(table)
  const { rows } = await sql<{ inMs: number }>`
    WITH soon AS MATERIALIZED (
      SELECT id, next_at, now() + least(${longestPauseMs}, greatest(${leastPauseMs}, target_count / ${rowsPerMs}))
        * interval '1 ms' AS at
      FROM ${owner} WHERE id = ANY(${ids}::int[]) AND next_at IS NOT NULL
      ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE ${owner} o SET next_at = soon.at
    FROM soon WHERE o.id = soon.id AND soon.next_at > soon.at
    RETURNING (extract(epoch FROM o.next_at - now()) * 1000)::float8 AS "inMs"`.execute(db)
  return rows.length === 0 ? null : Math.min(...rows.map(({ inMs }) => inMs))
}

/**
 * Looks at owners that are due, one by one: a look may take seconds. `look` returns what is to be done after the commit.
 */
export const createOwnerQueue = <Owner>(
  needs: { pool: pg.Pool; notices: Pick<Notices, 'subscribe'>; log: Log },
  {
    table,
    lock,
    look,
  }: {
    table: string
    lock: (trx: Trx, id: number) => Promise<Owner | undefined>
    look: (trx: Trx, owner: Owner) => Promise<() => void>
  },
): Worker =>
  createLeaseQueue<{ id: number }>(needs, {
    table,
    key: ['id'],
    columns: 't.id',
    leaseMs,
    batchSize: 1,
    async handle(connection, [due]) {
      const trx = kyselyOn(connection)
      // A queue's statements look rows up by index; those about all rows of an owner are better planned freely.
      await connection.query(planFreely)
      const owner = due && (await lock(trx, due.id))
      return owner && look(trx, owner)
    },
  })
