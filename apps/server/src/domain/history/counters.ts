// Writes the counters of the history: deltas are merged and folded into cells, levels and zones are followed.

import { setTimeout as delay } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { Database } from '../../platform/database/tables.ts'
import { addCells, cells } from './cells.ts'
import { countedRowsOf, type HistorySource, historySources, settledSources, withLevels } from './sources.ts'

/** One transaction at a time writes counters. */
const lockKey = 7_286_110_453n
export const oneAtATime = (trx: Transaction<Database>) =>
  // The setting tells the database that what is counted here has the settled sources in it (migration 0128).
  sql`SELECT set_config('voltkeep.counts_settled', 'on', true), pg_advisory_xact_lock(${lockKey})`.execute(
    trx,
  )

/** The most deltas of one fold: limits its memory after a pause. */
export const foldLimit = 200_000

/** The number of deltas, counted up to the limit. */
export async function countDeltas(db: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*)::int AS n FROM (SELECT FROM history_delta LIMIT ${limit}) AS delta`.execute(db)
  return rows[0]?.n ?? 0
}

/** Merging all deltas at once kept a core busy for 0.2 s, and devices waited 100 ms longer for their PUBACK. */
const mergeSlices = 16
const mergePauseMs = 40

/**
 * Merges all deltas of the same day, place and code into one, a slice at a time. Returns how many deltas are
 * left. Ends early when the signal is aborted.
 */
export async function mergeDeltas(db: Db, signal?: AbortSignal): Promise<number> {
  let left = 0
  for (let slice = 0; slice < mergeSlices && !signal?.aborted; slice += 1) {
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
 * Moves deltas into the counters, in one transaction: a reader sees each row counted once, in the deltas before
 * and in the cells after. Returns how many deltas it folded, `foldLimit` at most.
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
        LEFT JOIN history_level l ON t.source IN (${withLevels}) AND l.semaphore_code = t.semaphore_code
        GROUP BY source, day, operator_id, model_id, region_id, t.semaphore_code, l.level
        HAVING sum(n) <> 0
      ), ${cells()}, ${addCells}
      SELECT count(*)::int AS taken FROM taken
    `.execute(trx)
    return rows[0]?.taken ?? 0
  })
}

/** The codes whose level in the dictionary differs from the level by which they are counted. */
const changedLevels = sql`
  SELECT coalesce(e.code, l.semaphore_code) AS semaphore_code, l.level AS was, e.alarm_level AS level
  FROM (
    SELECT code, alarm_level FROM dictionary_entry WHERE type = 'ALARM' AND alarm_level IS NOT NULL
  ) AS e
  FULL JOIN history_level l ON l.semaphore_code = e.code
  WHERE l.level IS DISTINCT FROM e.alarm_level`

/**
 * Moves the counts of codes whose level in the dictionary has changed. Until then lists by level sum up codes,
 * which is slower and as exact. Returns how many codes.
 */
export async function recountLevels(db: Db): Promise<number> {
  const { rows } = await sql`SELECT FROM (${changedLevels}) AS changed LIMIT 1`.execute(db)
  if (rows.length === 0) return 0
  return await db.transaction().execute(async (trx) => {
    await oneAtATime(trx)
    await sql`CREATE TEMPORARY TABLE changed_level ON COMMIT DROP AS ${changedLevels}`.execute(trx)
    // Rows whose deltas are not folded are in no cell: the fold counts them by the new level.
    const leveled = Object.values(historySources).filter(({ hasLevels }) => hasLevels)
    const rowCounts = leveled.map(
      (source) => sql`
          SELECT ${sql.lit(source.id)}::smallint AS source, occurred_at::date AS day, operator_id, model_id, region_id,
            semaphore_code, count(*) AS n
          FROM ${countedRowsOf(source)} AS h
          WHERE semaphore_code IN (SELECT semaphore_code FROM changed_level)
          GROUP BY occurred_at::date, operator_id, model_id, region_id, semaphore_code`,
    )
    await sql`
      WITH counted AS (
        SELECT source, day, operator_id, model_id, region_id, semaphore_code, sum(n) AS n FROM (
          ${sql.join(rowCounts, sql` UNION ALL `)}
          UNION ALL
          SELECT source, day, operator_id, model_id, region_id, semaphore_code, -n FROM history_delta
          WHERE source IN (${withLevels}) AND semaphore_code IN (SELECT semaphore_code FROM changed_level)
        ) AS row GROUP BY source, day, operator_id, model_id, region_id, semaphore_code
      ), summed AS MATERIALIZED (
        SELECT source, day, operator_id, model_id, region_id, semaphore_code,
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

/** Counts everything again from the history itself: after a change of zone. Ingest waits for it. */
export async function recount(db: Db): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await oneAtATime(trx)
    await sql`LOCK TABLE history_delta IN ACCESS EXCLUSIVE MODE`.execute(trx)
    await sql`TRUNCATE history_delta, history_count`.execute(trx)
    for (const source of Object.values(historySources)) await countHistory(trx, source)
    await sql`DELETE FROM history_uncounted`.execute(trx)
  })
}

/**
 * Counts again what a release that knows nothing of the settled sources has counted. Until then their rows are counted one
 * by one. Returns how many sources.
 */
export async function recountUncounted(db: Db): Promise<number> {
  let count = 0
  for (const source of settledSources) {
    count += await db.transaction().execute(async (trx) => {
      const { rows } = await sql`SELECT FROM history_uncounted WHERE source = ${source.id}`.execute(trx)
      if (rows.length === 0) return 0
      await oneAtATime(trx)
      // Whoever writes a row of these writes its delta after it: both are in what is counted, or neither.
      await sql`LOCK TABLE alarm_settled IN SHARE ROW EXCLUSIVE MODE`.execute(trx)
      await sql`DELETE FROM history_delta WHERE source = ${source.id}`.execute(trx)
      await sql`DELETE FROM history_count WHERE source = ${source.id}`.execute(trx)
      await countHistory(trx, source)
      await sql`DELETE FROM history_uncounted WHERE source = ${source.id}`.execute(trx)
      return 1
    })
  }
  return count
}

/** Whether the counters have all rows of these sources in them. */
export async function areCounted(
  trx: Transaction<Database>,
  sources: readonly HistorySource[],
): Promise<boolean> {
  const ids = sources.flatMap(({ id, state }) => (state === null ? [] : [id]))
  if (ids.length === 0) return true
  const { rows } = await sql`SELECT FROM history_uncounted WHERE source = ANY(${ids}::int[]) LIMIT 1`.execute(
    trx,
  )
  return rows.length === 0
}

async function countHistory(trx: Transaction<Database>, source: HistorySource): Promise<void> {
  const { id, hasLevels } = source
  const level = hasLevels ? levelOf(sql.ref('row.semaphore_code')) : sql`NULL::smallint`
  await sql`
    WITH row AS (
      SELECT occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code, count(*) AS n
      FROM ${countedRowsOf(source)} AS h
      GROUP BY occurred_at::date, operator_id, model_id, region_id, semaphore_code
    ), summed AS MATERIALIZED (
      SELECT ${sql.lit(id)}::smallint AS source, row.*, ${level} AS level FROM row
    ), ${cells()}, ${addCells}
    SELECT
  `.execute(trx)
}

/** Counts everything again when the days of the counters are those of another zone. Returns whether it did. */
export async function keepZone(db: Db, zone: string): Promise<boolean> {
  const { rows } = await sql<{ zone: string }>`SELECT zone FROM history_zone`.execute(db)
  if (rows[0]?.zone === zone) return false
  if (rows[0]) await recount(db)
  await sql`
    INSERT INTO history_zone (zone) VALUES (${zone}) ON CONFLICT (is_only) DO UPDATE SET zone = excluded.zone
  `.execute(db)
  return rows[0] !== undefined
}
