import { setTimeout as delay } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import { dayOf, startOfMonth } from '../clock.ts'
import type { Db } from '../database/database.ts'
import type { Database } from '../database/tables.ts'
import { addCells, cellKey, cells } from './cells.ts'
import { type HistorySource, historySources } from './sources.ts'

/** Whoever writes counters waits for whoever does. */
const lockKey = 7_286_110_453n
export const oneAtATime = (trx: Transaction<Database>) =>
  sql`SELECT pg_advisory_xact_lock(${lockKey})`.execute(trx)

/** Deltas a fold takes at once: bounds its memory after a pause. */
const foldLimit = 200_000

/** How many deltas wait, counted no further than the limit. */
export async function countDeltas(db: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*)::int AS n FROM (SELECT FROM history_delta LIMIT ${limit}) AS delta`.execute(db)
  return rows[0]?.n ?? 0
}

/** Merging all deltas at once kept a core busy for 0.2 s, and devices waited 100 ms longer for their PUBACK. */
const mergeSlices = 16
const mergePauseMs = 40

/** Makes one delta of all that are of the same day, place and code, a slice at a time. Answers how many that leaves. */
export async function mergeDeltas(db: Db): Promise<number> {
  let left = 0
  for (let slice = 0; slice < mergeSlices; slice += 1) {
    if (slice > 0) await delay(mergePauseMs)
    left += await mergeSlice(db, slice)
  }
  return left
}

async function mergeSlice(db: Db, slice: number): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    await oneAtATime(trx)
    const { rows } = await sql<{ left: number }>`
      WITH taken AS (
        DELETE FROM history_delta
        WHERE (operator_id + model_id + region_id) % ${sql.lit(mergeSlices)} = ${slice}
        RETURNING *
      ), merged AS (
        INSERT INTO history_delta (source, day, operator_id, model_id, region_id, semaphore_code, n)
        SELECT source, day, operator_id, model_id, region_id, semaphore_code, sum(n) FROM taken
        GROUP BY source, day, operator_id, model_id, region_id, semaphore_code HAVING sum(n) <> 0
        RETURNING 1
      )
      SELECT count(*)::int AS left FROM merged`.execute(trx)
    return rows[0]?.left ?? 0
  })
}

/** The level by which the counters count an alarm's code. */
export const levelOf = (code: ReturnType<typeof sql.ref>) => sql`
  (SELECT l.level FROM history_level l WHERE l.semaphore_code = ${code})`

/**
 * Moves unfolded deltas into the counters, in one transaction: whoever reads sees each row counted once,
 * in the deltas before and in the cells after. Answers how many deltas it took.
 */
export async function foldDeltas(db: Db): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    await oneAtATime(trx)
    const { rows } = await sql<{ taken: number }>`
      WITH taken AS (
        DELETE FROM history_delta
        WHERE ctid = ANY(ARRAY(SELECT ctid FROM history_delta LIMIT ${foldLimit}))
        RETURNING *
      ), summed AS MATERIALIZED (
        SELECT source, day, operator_id, model_id, region_id, t.semaphore_code, l.level, sum(n) AS n
        FROM taken t
        LEFT JOIN history_level l ON t.source = ${sql.lit(historySources.alarm.id)} AND l.semaphore_code = t.semaphore_code
        GROUP BY source, day, operator_id, model_id, region_id, t.semaphore_code, l.level
        HAVING sum(n) <> 0
      ), ${cells()}, ${addCells}
      SELECT count(*)::int AS taken FROM taken
    `.execute(trx)
    return rows[0]?.taken ?? 0
  })
}

/**
 * Sums up months that are over, so that a long range adds up a few cells a month and not one a day. From
 * then on a late row's delta is folded into day and month alike.
 */
export async function closeMonths(db: Db, now = new Date()): Promise<string[]> {
  const { rows: open } = await sql<{ month: string }>`
    SELECT month FROM history_count
    WHERE source IN (1, 2) AND operator_id = 0 AND model_id = 0 AND region_id = 0 AND semaphore_code = ''
      AND month < ${dayOf(startOfMonth(now))}::date
    EXCEPT SELECT month FROM history_closed_month
    ORDER BY month
  `.execute(db)
  for (const { month } of open) {
    await db.transaction().execute(async (trx) => {
      // No fold between the sum and the mark: it would not be in the month.
      await oneAtATime(trx)
      await sumMonth(trx, month)
      await sql`INSERT INTO history_closed_month (month) VALUES (${month}::date)`.execute(trx)
    })
  }
  return open.map(({ month }) => month)
}

async function sumMonth(trx: Transaction<Database>, month: string): Promise<void> {
  await sql`
    INSERT INTO history_month_count (${cellKey}, month, n)
    SELECT ${cellKey}, month, whole.n
    FROM history_count CROSS JOIN LATERAL (SELECT sum(n) AS n FROM unnest(days) AS n) AS whole
    WHERE month = ${month}::date AND whole.n <> 0
  `.execute(trx)
}

/** What the dictionary says about levels and the counters do not know yet. */
const changedLevels = sql`
  SELECT coalesce(e.code, l.semaphore_code) AS semaphore_code, l.level AS was, e.alarm_level AS level
  FROM (
    SELECT code, alarm_level FROM dictionary_entry WHERE type = 'ALARM' AND alarm_level IS NOT NULL
  ) AS e
  FULL JOIN history_level l ON l.semaphore_code = e.code
  WHERE l.level IS DISTINCT FROM e.alarm_level`

/**
 * Moves the counts of codes that the dictionary has given another level. Until then lists by level sum up
 * codes, which is slower and as exact. Answers how many codes.
 */
export async function settleLevels(db: Db): Promise<number> {
  const { rows } = await sql`SELECT FROM (${changedLevels}) AS changed LIMIT 1`.execute(db)
  if (rows.length === 0) return 0
  return await db.transaction().execute(async (trx) => {
    await oneAtATime(trx)
    await sql`CREATE TEMPORARY TABLE changed_level ON COMMIT DROP AS ${changedLevels}`.execute(trx)
    // Rows whose deltas are not folded yet are in no cell: the fold will count them by the new level.
    const { id, table } = historySources.alarm
    await sql`
      WITH counted AS (
        SELECT day, operator_id, model_id, region_id, semaphore_code, sum(n) AS n FROM (
          SELECT occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code, count(*) AS n
          FROM ${sql.table(table)}
          WHERE semaphore_code IN (SELECT semaphore_code FROM changed_level)
          GROUP BY occurred_at::date, operator_id, model_id, region_id, semaphore_code
          UNION ALL
          SELECT day, operator_id, model_id, region_id, semaphore_code, -n FROM history_delta
          WHERE source = ${sql.lit(id)} AND semaphore_code IN (SELECT semaphore_code FROM changed_level)
        ) AS row GROUP BY day, operator_id, model_id, region_id, semaphore_code
      ), summed AS MATERIALIZED (
        SELECT ${sql.lit(id)}::smallint AS source, day, operator_id, model_id, region_id, semaphore_code,
          side.level, side.n
        FROM counted
        JOIN changed_level USING (semaphore_code)
        CROSS JOIN LATERAL (VALUES (was, -n), (changed_level.level, n)) AS side (level, n)
        WHERE side.level IS NOT NULL
      ), ${cells({ only: 'levels' })}, ${addCells}
      SELECT
    `.execute(trx)
    await sql`
      DELETE FROM history_level WHERE semaphore_code IN (SELECT semaphore_code FROM changed_level WHERE level IS NULL)
    `.execute(trx)
    const { numAffectedRows } = await sql`
      INSERT INTO history_level (semaphore_code, level)
      SELECT semaphore_code, level FROM changed_level WHERE level IS NOT NULL
      ON CONFLICT (semaphore_code) DO UPDATE SET level = excluded.level
    `.execute(trx)
    return Number(numAffectedRows ?? 0)
  })
}

/** Counts everything anew from the history itself: after a change of zone. Writers wait meanwhile. */
export async function recount(db: Db): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await oneAtATime(trx)
    await sql`LOCK TABLE history_delta, history_closed_month IN ACCESS EXCLUSIVE MODE`.execute(trx)
    await sql`TRUNCATE history_delta, history_count, history_month_count, history_closed_month`.execute(trx)
    for (const source of Object.values(historySources)) await countHistory(trx, source)
  })
}

async function countHistory(trx: Transaction<Database>, { id, table }: HistorySource): Promise<void> {
  const level = id === historySources.alarm.id ? levelOf(sql.ref('row.semaphore_code')) : sql`NULL::smallint`
  await sql`
    WITH row AS (
      SELECT occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code, count(*) AS n
      FROM ${sql.table(table)}
      GROUP BY occurred_at::date, operator_id, model_id, region_id, semaphore_code
    ), summed AS MATERIALIZED (
      SELECT ${sql.lit(id)}::smallint AS source, row.*, ${level} AS level FROM row
    ), ${cells()}, ${addCells}
    SELECT
  `.execute(trx)
}

/** Counts anew when the days of the counters are those of another zone. Answers whether it had to. */
export async function keepZone(db: Db, zone: string): Promise<boolean> {
  const { rows } = await sql<{ zone: string }>`SELECT zone FROM history_zone`.execute(db)
  if (rows[0]?.zone === zone) return false
  if (rows[0]) await recount(db)
  await sql`
    INSERT INTO history_zone (zone) VALUES (${zone}) ON CONFLICT (is_only) DO UPDATE SET zone = excluded.zone
  `.execute(db)
  return rows[0] !== undefined
}
