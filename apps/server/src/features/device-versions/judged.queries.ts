import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { isOlder, isRecommended, packageMatches, packageVersion, packageVersionText } from './matching.ts'

/**
 * For a WITH: `judged` has the newest release for each kind of part among `device_version v` of `device d`, where there is
 * one: `newest` to be compared, `newest_text` to be shown, and `is_older` where the part has an older version.
 *
 * Parts are told apart by what a package looks at (model, kind, hardware version, board, version): some hundreds of
 * combinations, and only these are compared with packages, not each of millions of parts.
 */
export const judgedParts = (parts: RawBuilder<unknown>) => sql`alike AS MATERIALIZED (
    SELECT d.model_id, v.part_type, v.hw_version, v.pcb_code, v.version FROM ${parts} GROUP BY 1, 2, 3, 4, 5
  ), judged AS MATERIALIZED (
    SELECT v.*, newest.version AS newest, newest.text AS newest_text, newest.is_older
    FROM alike v
    JOIN LATERAL (SELECT v.model_id) d ON true
    JOIN LATERAL (
      SELECT ${packageVersion} AS version, ${packageVersionText} AS text, ${isOlder} AS is_older
      FROM software_package k
      WHERE k.deleted_at IS NULL AND ${isRecommended} AND ${packageMatches}
      ORDER BY version DESC LIMIT 1
    ) newest ON true
  )`

/** Is the part `v`, which has the `model_id` of its device, of the combination `j` of `judged`? */
export const isJudged: RawBuilder<SqlBool> = sql`j.model_id = v.model_id AND j.part_type = v.part_type
  AND j.version = v.version AND j.hw_version IS NOT DISTINCT FROM v.hw_version
  AND j.pcb_code IS NOT DISTINCT FROM v.pcb_code`
