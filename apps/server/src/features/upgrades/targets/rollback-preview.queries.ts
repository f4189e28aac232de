import type { RollbackSkip } from '@voltkeep/contract'
import { sql } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import { packageVersionText } from '../matching.ts'
import { type RollbackPlan, resolutionOfRollback } from './target-plan.queries.ts'

export interface RollbackFigures {
  chosen: number
  devices: number
  offline: number
  parts: { partTypeName: string; version: string; devices: number }[]
  skipped: {
    partTypeName: string
    reason: RollbackSkip
    note: string | null
    version: string
    devices: number
  }[]
}

/** What a rollback would do now: the versions that it brings back, and what it cannot bring back. */
export async function readRollbackPreview(db: Db, plan: RollbackPlan): Promise<RollbackFigures> {
  const { rows } = await sql<RollbackFigures>`
    WITH ${resolutionOfRollback(plan)},
    restored AS (SELECT DISTINCT device_id FROM resolved WHERE skip IS NULL),
    parts AS (
      SELECT p.name AS "partTypeName", ${packageVersionText} AS version, count(*)::int AS devices
      FROM resolved r JOIN software_package k ON k.id = r.package_id JOIN part_type p ON p.code = r.part_type
      WHERE r.skip IS NULL GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2
    ),
    skipped AS (
      SELECT p.name AS "partTypeName", r.skip AS reason, r.note, f.version, count(*)::int AS devices
      FROM resolved r JOIN part_type p ON p.code = r.part_type
      CROSS JOIN LATERAL (
        SELECT coalesce(string_agg(DISTINCT v.value, '、' ORDER BY v.value), '') AS version
        FROM jsonb_each_text(r.former) v
      ) f
      WHERE r.skip IS NOT NULL GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC, 1, 2, 4
    )
    SELECT (SELECT count(*) FROM chosen)::int AS chosen, (SELECT count(*) FROM restored)::int AS devices,
      (SELECT count(*) FROM restored u LEFT JOIN device_state s ON s.device_id = u.device_id
       WHERE s.is_online IS NOT TRUE)::int AS offline,
      (SELECT coalesce(jsonb_agg(parts), '[]') FROM parts) AS parts,
      (SELECT coalesce(jsonb_agg(skipped), '[]') FROM skipped) AS skipped`.execute(db)
  return rows[0] ?? { chosen: 0, devices: 0, offline: 0, parts: [], skipped: [] }
}
