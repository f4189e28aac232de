// What the search finds besides devices, batteries and users: each within what its list would show to the caller. All
// words have to be in the text that a row is found by.
import { wordsIn } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import { inOwnTree } from '../../domain/access/organization-tree.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import { likeLiteral } from '../../platform/database/like.ts'

type Viewer = Pick<Actor, 'isSystem' | 'organizationId'>

/** Of the package `k`, as it is shown. */
const packageVersionText = sql`(k.major || '.' || k.minor)`

const hasWords = (text: RawBuilder<unknown>, keyword: string): RawBuilder<SqlBool> => {
  const words = wordsIn(keyword).map((word) => `%${likeLiteral(word)}%`)
  return words.length === 0 ? sql<SqlBool>`false` : sql<SqlBool>`${text} ILIKE ALL(${words}::text[])`
}

export interface FoundOperator {
  id: number
  name: string
  code: string
  organizationId: number
  organizationName: string
}

export async function findOperators(
  db: Db,
  scope: DataScope,
  keyword: string,
  limit: number,
): Promise<FoundOperator[]> {
  const { rows } = await sql<FoundOperator>`
    SELECT p.id, p.name, p.code, o.id AS "organizationId", o.name AS "organizationName"
    FROM operator p JOIN organization o ON o.id = p.organization_id
    WHERE ${scope.operatorIds ? sql`p.id = ANY(${scope.operatorIds}::int[])` : sql`true`}
      AND ${hasWords(sql`p.name || ' ' || p.code`, keyword)}
    ORDER BY length(p.name), p.name LIMIT ${limit}`.execute(db)
  return rows
}

export interface FoundRegion {
  code: string
  name: string
  fullName: string
  deviceCount: number
}

/** Regions with devices of the scope at or below them, those with the most first. The last word names the region. */
export async function findRegions(
  db: Db,
  scope: DataScope,
  keyword: string,
  limit: number,
): Promise<FoundRegion[]> {
  const last = wordsIn(keyword).at(-1)
  if (last === undefined) return []
  const { rows } = await sql<FoundRegion>`
    WITH named AS MATERIALIZED (
      SELECT r.code, r.name, r.full_name, r.path FROM region r
      WHERE r.path <> '/' AND r.name ILIKE ${`%${likeLiteral(last)}%`} AND ${hasWords(sql`r.full_name`, keyword)}
    ), peopled AS MATERIALIZED (
      SELECT d.region_id, count(*)::int AS n FROM device_listing d
      WHERE EXISTS (SELECT FROM named) AND ${deviceWithinScope(scope)} GROUP BY d.region_id
    )
    SELECT named.code, named.name, named.full_name AS "fullName", sum(peopled.n)::int AS "deviceCount"
    FROM peopled JOIN region r ON r.id = peopled.region_id JOIN named ON starts_with(r.path, named.path)
    GROUP BY named.code, named.name, named.full_name
    ORDER BY "deviceCount" DESC, length(named.full_name), named.code LIMIT ${limit}`.execute(db)
  return rows
}

export interface FoundTask {
  kind: 'upgrade' | 'batch'
  id: number
  title: string
  note: string | null
  createBy: string
  createTime: Date
}

/** Upgrades by parts, versions, note and author; the newest first. */
export async function findUpgrades(
  db: Db,
  viewer: Viewer,
  keyword: string,
  limit: number,
): Promise<FoundTask[]> {
  const { rows } = await sql<FoundTask>`
    SELECT 'upgrade' AS kind, a.id, goal.title, a.remark AS note, a.created_by_name AS "createBy",
      a.created_at AS "createTime"
    FROM upgrade_task a
    CROSS JOIN LATERAL (
      SELECT string_agg(p.name || ' ' || ${packageVersionText}, '、' ORDER BY n.position) AS title
      FROM upgrade_task_package n
      JOIN software_package k ON k.id = n.package_id
      JOIN part_type p ON p.code = k.part_type
      WHERE n.task_id = a.id
    ) AS goal
    WHERE ${inOwnTree(viewer, sql.ref('a.organization_id'))}
      AND ${hasWords(sql`concat_ws(' ', goal.title, a.remark, a.created_by_name)`, keyword)}
    ORDER BY a.id DESC LIMIT ${limit}`.execute(db)
  return rows
}

/** Batch settings by number and author; the newest first. */
export async function findBatches(
  db: Db,
  viewer: Viewer,
  keyword: string,
  limit: number,
): Promise<FoundTask[]> {
  const { rows } = await sql<FoundTask>`
    SELECT 'batch' AS kind, a.id, a.code AS title, NULL AS note, a.created_by_name AS "createBy",
      a.created_at AS "createTime"
    FROM parameter_batch a
    WHERE ${inOwnTree(viewer, sql.ref('a.organization_id'))}
      AND ${hasWords(sql`a.code || ' ' || a.created_by_name`, keyword)}
    ORDER BY a.id DESC LIMIT ${limit}`.execute(db)
  return rows
}

export interface FoundPackage {
  id: number
  fileName: string
  partTypeName: string
  version: string
  isRelease: boolean
}

/** Packages by file, board and part; the newest first. */
export async function findPackages(db: Db, keyword: string, limit: number): Promise<FoundPackage[]> {
  const { rows } = await sql<FoundPackage>`
    SELECT k.id, k.file_name AS "fileName", p.name AS "partTypeName", ${packageVersionText} AS version,
      k.is_release AS "isRelease"
    FROM software_package k
    JOIN pcb_board b ON b.id = k.pcb_board_id
    JOIN part_type p ON p.code = k.part_type
    WHERE k.deleted_at IS NULL
      AND ${hasWords(sql`concat_ws(' ', k.file_name, b.pcb_code, p.name, ${packageVersionText})`, keyword)}
    ORDER BY k.id DESC LIMIT ${limit}`.execute(db)
  return rows
}
