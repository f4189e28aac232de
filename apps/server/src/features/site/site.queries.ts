import type { RemarkLanguage } from '@voltkeep/contract'
import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { countRows, type Page } from '../../platform/database/paging.ts'
import { isRecommended } from './matching.ts'

export interface ReleaseRecord {
  version: string
  partType: string
  partTypeName: string
  equipClassify: string
  equipTypeName: string
  models: string[]
  releaseTime: Date
  note: string
}

/**
 * Releases as a stranger may read them. Packages that look the same to the reader (for other hardware versions, or for
 * another board of the same part) are shown once.
 */
const releases = (language: RemarkLanguage) => sql`
  SELECT k.major, k.minor, k.major || '.' || k.minor AS version, k.part_type AS "partType", p.name AS "partTypeName",
    t.classify AS "equipClassify", t.name AS "equipTypeName", m.names AS models,
    min(k.created_at) AS "releaseTime", n.note
  FROM software_package k
  JOIN pcb_board b ON b.id = k.pcb_board_id
  JOIN equip_type t ON t.id = b.equip_type_id
  JOIN part_type p ON p.code = k.part_type
  CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(m.name ORDER BY m.code), '{}') AS names
    FROM pcb_board_model bm JOIN equip_model m ON m.id = bm.equip_model_id AND m.equip_type_id = b.equip_type_id
    WHERE bm.pcb_board_id = b.id
  ) m
  CROSS JOIN LATERAL (SELECT k.remark ->> ${language}::text AS note) n
  WHERE ${isRecommended} AND k.deleted_at IS NULL AND n.note <> ''
  GROUP BY k.major, k.minor, k.part_type, p.name, t.classify, t.name, m.names, n.note`

/** A page, newest first. */
export async function listReleases(
  db: Db,
  language: RemarkLanguage,
  { limit, offset }: Page,
): Promise<ReleaseRecord[]> {
  const { rows } = await sql<ReleaseRecord>`
    SELECT version, "partType", "partTypeName", "equipClassify", "equipTypeName", models, "releaseTime", note
    FROM (${releases(language)}) r
    ORDER BY "releaseTime" DESC, "partType", major DESC, minor DESC, "equipTypeName", models, note
    LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

export async function countReleases(db: Db, language: RemarkLanguage): Promise<number> {
  return countRows(db, sql`FROM (${releases(language)}) r`)
}
