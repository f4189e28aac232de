// SQL of the history of alarms: one row an episode.
import { type RawBuilder, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import { deviceJoins, keyed, type RowKey } from '../../domain/history/index.ts'
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

/** Of these episodes those that are over: how long they lasted on average, in seconds; null where there is none. */
export async function meanOf(db: Db, keys: RawBuilder<unknown>): Promise<number | null> {
  const { rows } = await sql<{ mean: number | null }>`
    SELECT avg(extract(epoch FROM h.recovered_at - h.occurred_at))::float8 AS mean FROM (${keys}) AS few
    JOIN alarm_history h ON h.occurred_at = few.occurred_at AND h.id = few.id
    WHERE h.recovered_at IS NOT NULL`.execute(db)
  return rows[0]?.mean ?? null
}
