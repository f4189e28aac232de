// SQL of the history of alarms: one row an episode.
import { type RawBuilder, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import {
  deviceJoins,
  type Exclusion,
  type HistoryFilter,
  keyed,
  passes,
  type RowKey,
  within,
} from '../../domain/history/index.ts'
import type { Db } from '../../platform/database/database.ts'
import { type AlarmRecord, episodeColumns, namesOf } from './alarm-records.queries.ts'
import { handlingJoins } from './handling/handling-shown.queries.ts'
import { repeatOfEpisode } from './repeats/repeats-shown.queries.ts'

/** The rows of a page of keys, newest first. */
export async function readEpisodes(db: Db, keys: readonly RowKey[]): Promise<AlarmRecord[]> {
  if (keys.length === 0) return []
  const { relation, condition } = keyed(keys)
  const { rows } = await sql<AlarmRecord>`
    SELECT ${episodeColumns}
    FROM ${relation} JOIN alarm_history h ON ${condition}
    ${deviceJoins(sql`h.device_id`)} ${namesOf('h')} ${handlingJoins(sql`h.id`)} ${repeatOfEpisode}
    ORDER BY h.occurred_at DESC, h.id DESC
  `.execute(db)
  return rows
}

export type EpisodeDetail = AlarmRecord & {
  /** `[ms, value]` */
  lateReports: [number, number][] | null
}

/**
 * One episode within the scope. Without the moment, it is found by the current state or by the index of id blocks of
 * each month.
 */
export async function findEpisode(
  db: Db,
  scope: DataScope,
  id: string,
  occurred: { from: Date; to: Date } | null,
): Promise<EpisodeDetail | undefined> {
  const when = occurred
    ? sql`h.occurred_at >= ${occurred.from} AND h.occurred_at < ${occurred.to}`
    : sql`h.occurred_at = ANY(${await momentsOf(db, id)}::timestamptz[])`
  const { rows } = await sql<EpisodeDetail>`
    SELECT ${episodeColumns}, h.late_reports AS "lateReports"
    FROM alarm_history h
    ${deviceJoins(sql`h.device_id`)} ${namesOf('h')} ${handlingJoins(sql`h.id`)} ${repeatOfEpisode}
    WHERE h.id = ${id}::bigint AND ${when}
      AND ${deviceWithinScope(scope)}
  `.execute(db)
  return rows[0]
}

async function momentsOf(db: Db, id: string): Promise<string[]> {
  const { rows } = await sql<{ at: string }>`
    SELECT occurred_at::text AS at FROM alarm_state WHERE episode_id = ${id}::bigint
  `.execute(db)
  if (rows.length > 0) return rows.map(({ at }) => at)
  const { rows: older } = await sql<{ at: string }>`
    SELECT occurred_at::text AS at FROM alarm_history WHERE id = ${id}::bigint
  `.execute(db)
  return older.map(({ at }) => at)
}

/** The number of these episodes, and a page of them by time. */
export async function pageOfFew(
  db: Db,
  few: RawBuilder<unknown>,
  { limit, offset, isOldestFirst }: { limit: number; offset: number; isOldestFirst: boolean },
): Promise<{ keys: RowKey[]; total: number }> {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM (${few}) AS few`.execute(db)
  const total = rows[0]?.n ?? 0
  if (offset >= total) return { keys: [], total }
  const order = isOldestFirst ? sql`occurred_at, id` : sql`occurred_at DESC, id DESC`
  const { rows: keys } = await sql<RowKey>`
    SELECT occurred_at::text AS "occurredAt", id FROM (
      SELECT * FROM (${few}) AS few ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}
    ) AS page`.execute(db)
  return { keys: isOldestFirst ? keys.reverse() : keys, total }
}

/** All of these episodes, newest first, in batches that each begin where the one before ended. */
export async function* walkFew(
  db: Db,
  few: RawBuilder<unknown>,
  batchSize: number,
): AsyncGenerator<RowKey[]> {
  let last: RowKey | undefined
  for (;;) {
    const { rows } = await sql<RowKey>`
      SELECT occurred_at::text AS "occurredAt", id FROM (
        SELECT * FROM (${few}) AS few
        ${last ? sql`WHERE (occurred_at, id) < (${last.occurredAt}::timestamptz, ${last.id}::bigint)` : sql``}
        ORDER BY occurred_at DESC, id DESC LIMIT ${batchSize}
      ) AS page`.execute(db)
    if (rows.length > 0) yield rows
    if (rows.length < batchSize) return
    last = rows.at(-1)
  }
}

/** How many of these episodes began on each day: `YYYY-MM-DD` → count. */
export async function countFewByDay(db: Db, few: RawBuilder<unknown>): Promise<Map<string, number>> {
  const { rows } = await sql<{ day: string; n: number }>`
    SELECT occurred_at::date::text AS day, count(*)::int AS n FROM (${few}) AS few GROUP BY 1`.execute(db)
  return new Map(rows.map(({ day, n }) => [day, n]))
}

/** Of these episodes those that are over: how long they lasted on average, in seconds; null where there is none. */
export async function meanOfFew(db: Db, few: RawBuilder<unknown>): Promise<number | null> {
  const { rows } = await sql<{ mean: number | null }>`
    SELECT ${meanSeconds} AS mean FROM (${few}) AS few
    JOIN alarm_history h ON h.occurred_at = few.occurred_at AND h.id = few.id
    WHERE h.recovered_at IS NOT NULL`.execute(db)
  return rows[0]?.mean ?? null
}

/** The same of the episodes that pass the filter. Reads each of them. */
export async function meanOfPassing(
  db: Db,
  filter: HistoryFilter,
  exclusion: Exclusion | undefined,
): Promise<number | null> {
  const others = exclusion
    ? sql`AND NOT EXISTS (SELECT FROM (${exclusion.rows}) AS x WHERE x.occurred_at = h.occurred_at AND x.id = h.id)`
    : sql``
  const { rows } = await sql<{ mean: number | null }>`
    SELECT ${meanSeconds} AS mean FROM alarm_history AS h
    WHERE ${passes(filter)} AND ${within(filter.range)} AND recovered_at IS NOT NULL ${others}`.execute(db)
  return rows[0]?.mean ?? null
}

const meanSeconds = sql<number | null>`avg(extract(epoch FROM h.recovered_at - h.occurred_at))::float8`
