// SQL of what rows of alarms show of the trouble that they are of: joined to the rows of one page, and to no row that is
// counted or sorted.
import { type RawBuilder, sql } from 'kysely'

/** Troubles of one semaphore that last until an episode or longer: two that interleave are of different bits. */
const lookedAt = 4

/** Joins the trouble `rp` of a semaphore's newest episode. */
export const repeatOfNewest = (episodeId: RawBuilder<unknown>) => sql`
  LEFT JOIN alarm_repeat rp ON rp.last_episode_id = ${episodeId}`

/** Joins the trouble `rp` of an episode `h`, whose entry of the dictionary is `e`. */
export const repeatOfEpisode = sql`
  LEFT JOIN LATERAL (
    SELECT * FROM (
      SELECT * FROM alarm_repeat t
      WHERE t.device_id = h.device_id AND t.semaphore_code = h.semaphore_code AND t.last_at >= h.occurred_at
      ORDER BY t.last_at LIMIT ${sql.lit(lookedAt)}
    ) t
    WHERE t.first_at <= h.occurred_at
      AND CASE WHEN e.analysis_type = 'VALUE' THEN h.first_value = ANY(t.seen) ELSE h.first_value & t.seen[1] <> 0 END
    LIMIT 1
  ) rp ON true`

/** What a row shows of `rp`. */
export const repeatColumns = sql`
  coalesce(rp.occurrences, 1) AS "repeatCount", rp.first_at AS "repeatFirstTime", rp.last_at AS "repeatLastTime",
  rp.chatter`
