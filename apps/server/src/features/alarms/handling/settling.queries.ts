// SQL of settling: what people did about an alarm that has been over for a while keeps the state that it shows, and counts.
import { sql } from 'kysely'
import { type RowKey, settledSources } from '../../../domain/history/index.ts'
import type { Db } from '../../../platform/database/database.ts'
import { shownEpisode } from './handling-shown.queries.ts'

/** How long an alarm has been over when what it shows is settled; until then what the dictionary says of it still counts. */
export const settledAfterMinutes = 60

export interface Looked {
  settled: number
  /** Where the next look goes on; null where nothing more is unsettled. */
  next: RowKey | null
}

/**
 * Looks at touched episodes that are not settled, the newest first: most lists ask for those. State, row and count come in one statement. It
 * waits for nobody: an alarm that somebody is handling just now, or whose episode a late report is changing, is left to the
 * next look. Late reports wait for it, since both of its rows are locked.
 */
export async function settleSome(
  db: Db,
  { after, limit }: { after: RowKey | null; limit: number },
): Promise<Looked> {
  const { rows } = await sql<{
    looked: number
    settled: number
    occurredAt: string | null
    id: string | null
  }>`
    WITH looked AS MATERIALIZED (
      SELECT occurred_at, episode_id FROM alarm_handling
      WHERE settled IS NULL
        ${after ? sql`AND (occurred_at, episode_id) < (${after.occurredAt}::timestamptz, ${after.id}::bigint)` : sql``}
      ORDER BY occurred_at DESC, episode_id DESC LIMIT ${limit}
    ), over AS MATERIALIZED (
      SELECT h.occurred_at, h.id, h.device_id, h.operator_id, h.model_id, h.region_id, h.semaphore_code, p.assignee_id,
        ${shownEpisode} AS state
      FROM looked l
      JOIN alarm_handling p ON p.episode_id = l.episode_id
      JOIN alarm_history h ON h.occurred_at = l.occurred_at AND h.id = l.episode_id
      LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = h.semaphore_code
      WHERE p.settled IS NULL AND h.recovered_at < now() - ${sql.lit(settledAfterMinutes)} * interval '1 minute'
      FOR UPDATE OF p SKIP LOCKED FOR SHARE OF h SKIP LOCKED
    ), marked AS (
      UPDATE alarm_handling p SET settled = over.state FROM over WHERE p.episode_id = over.id
    ), written AS (
      INSERT INTO alarm_settled (state, occurred_at, id, device_id, operator_id, model_id, region_id, semaphore_code,
        assignee_id)
      SELECT state, occurred_at, id, device_id, operator_id, model_id, region_id, semaphore_code, assignee_id
      FROM over ORDER BY occurred_at, id
    ), counted AS (
      INSERT INTO history_delta (source, day, operator_id, model_id, region_id, semaphore_code, n)
      SELECT CASE state ${sources} END, occurred_at::date, operator_id, model_id, region_id, semaphore_code, count(*)
      FROM over GROUP BY state, occurred_at::date, operator_id, model_id, region_id, semaphore_code
    )
    SELECT (SELECT count(*)::int FROM looked) AS looked, (SELECT count(*)::int FROM over) AS settled,
      last.occurred_at::text AS "occurredAt", last.episode_id::text AS id
    FROM (SELECT) AS one
    LEFT JOIN (SELECT * FROM looked ORDER BY occurred_at, episode_id LIMIT 1) AS last ON true`.execute(db)
  const [row] = rows
  const isLast = !row || row.looked < limit || row.occurredAt === null || row.id === null
  return {
    settled: row?.settled ?? 0,
    next: isLast ? null : { occurredAt: row.occurredAt as string, id: row.id as string },
  }
}

const sources = sql.join(
  settledSources.map(({ id, state }) => sql`WHEN ${sql.lit(state)} THEN ${sql.lit(id)}`),
  sql` `,
)
