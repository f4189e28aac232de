// SQL of extractions: how they begin, and the lists that pages show.
import type { LogExtractionState, LogFileType } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import { deviceIdsByCode } from '../../domain/access/device-search.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { deletingOld } from '../../platform/database/jobs/retention.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import { countRows, type Page } from '../../platform/database/paging.ts'
import type { TimeRange } from '../../platform/process/clock.ts'

/** An extraction under way with who asked for it. */
export interface UnderWay {
  id: string
  commandId: string | null
  createdBy: number
  createdByName: string
}

/** Those of these that are under way; null: of all. */
export async function listUnderWay(db: Db, ids: readonly string[] | null): Promise<UnderWay[]> {
  let query = db
    .selectFrom('log_extraction')
    .select(['id', 'command_id as commandId', 'created_by as createdBy', 'created_by_name as createdByName'])
    .where('state', 'in', ['waiting', 'taken', 'uploading'])
  if (ids) query = query.where('id', 'in', [...ids])
  return query.orderBy('id').execute()
}

/** The device of a request, with its family. */
export interface AskedDevice {
  id: number
  code: string
  equipClassify: string
  isOnline: boolean
}

/** The device of this code in the scope. */
export async function findDevice(trx: Trx, scope: DataScope, code: string): Promise<AskedDevice | undefined> {
  const { rows } = await sql<AskedDevice>`
    SELECT d.id, d.code, t.classify AS "equipClassify", coalesce(s.is_online, false) AS "isOnline"
    FROM device d
    JOIN equip_model m ON m.id = d.model_id
    JOIN equip_type t ON t.id = m.equip_type_id
    LEFT JOIN device_state s ON s.device_id = d.id
    WHERE d.code = ${code} AND ${deviceWithinScope(scope)}`.execute(trx)
  return rows[0]
}

/** How many extractions of the user are under way. Other calls of the user wait until the transaction ends. */
export async function countRunningOf(trx: Trx, userId: number): Promise<number> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('log_extraction', ${userId}))`.execute(trx)
  return countRows(
    trx,
    sql`FROM log_extraction
    WHERE created_by = ${userId} AND state IN ('waiting', 'taken', 'uploading')`,
  )
}

export interface ExtractionValues {
  deviceId: number
  level: { equipClassify: string; code: string; name: string; fileType: LogFileType }
  range: TimeRange
  deadline: Date
  endsAt: Date
  createdBy: number
  createdByName: string
}

/** Returns the new id. */
export async function insertExtraction(trx: Trx, values: ExtractionValues): Promise<string> {
  const { level, range } = values
  const { id } = await trx
    .insertInto('log_extraction')
    .values({
      device_id: values.deviceId,
      equip_classify: level.equipClassify,
      level: level.code,
      level_name: level.name,
      file_type: level.fileType,
      from_at: range.from,
      to_at: range.to,
      deadline: values.deadline,
      next_at: values.deadline,
      ends_at: values.endsAt,
      created_by: values.createdBy,
      created_by_name: values.createdByName,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return String(id)
}

export async function setCommand(trx: Trx, id: string, commandId: string): Promise<void> {
  await sql`UPDATE log_extraction SET command_id = ${commandId} WHERE id = ${id}`.execute(trx)
}

export interface ExtractionRecord {
  id: string
  equipId: number
  equipCode: string
  equipClassify: string
  operatorName: string
  level: string
  levelName: string
  fileType: LogFileType
  startTime: Date
  endTime: Date
  state: LogExtractionState
  reason: string | null
  receivedBytes: number
  sizeBytes: number | null
  fileId: string | null
  commandId: string | null
  createBy: string
  createTime: Date
  changeTime: Date
  deadline: Date | null
}

// The end is shown as the last second that belongs to the range.
const columns = sql`
  x.id, d.id AS "equipId", d.code AS "equipCode", x.equip_classify AS "equipClassify", p.name AS "operatorName",
  x.level, x.level_name AS "levelName", x.file_type AS "fileType", x.from_at AS "startTime",
  x.to_at - interval '1 second' AS "endTime", x.state, x.reason, x.received_bytes::float8 AS "receivedBytes",
  x.size_bytes::float8 AS "sizeBytes", x.file_id AS "fileId", x.command_id AS "commandId",
  x.created_by_name AS "createBy", x.created_at AS "createTime", x.changed_at AS "changeTime",
  CASE WHEN x.state IN ('waiting', 'taken') THEN x.deadline END AS deadline`

export interface ExtractionFilter {
  /** Codes or parts of them. */
  code?: readonly string[] | undefined
  createBy?: string | undefined
  states?: readonly LogExtractionState[] | undefined
  from?: Date | null
  to?: Date | null
  ids?: readonly string[] | undefined
  /** Made by this user, and under way or ended since then. */
  own?: { userId: number; endedSince: Date }
}

/** The extractions `x` of devices `d` that a filter asks for, within the scope. */
function matching(scope: DataScope, filter: ExtractionFilter): RawBuilder<SqlBool> {
  const { code, createBy, states, from, to, ids, own } = filter
  const parts: RawBuilder<SqlBool>[] = [sql`${deviceWithinScope(scope)}`]
  if (code) parts.push(sql`d.id = ANY(${deviceIdsByCode(scope, code)})`)
  if (createBy !== undefined) parts.push(sql`x.created_by_name ILIKE ${`%${likeLiteral(createBy)}%`}`)
  if (states) parts.push(sql`x.state = ANY(${states}::text[])`)
  if (from) parts.push(sql`x.created_at >= ${from}`)
  if (to) parts.push(sql`x.created_at < ${to}`)
  if (ids) parts.push(sql`x.id = ANY(${ids}::int8[])`)
  if (own) {
    parts.push(
      sql`x.created_by = ${own.userId} AND (x.next_at IS NOT NULL OR x.changed_at > ${own.endedSince})`,
    )
  }
  return sql<SqlBool>`(${sql.join(parts, sql` AND `)})`
}

/** A page, newest first. */
export async function listExtractions(
  db: Db,
  scope: DataScope,
  filter: ExtractionFilter,
  { limit, offset }: Page,
): Promise<ExtractionRecord[]> {
  const { rows } = await sql<ExtractionRecord>`
    SELECT ${columns}
    FROM log_extraction x JOIN device d ON d.id = x.device_id JOIN operator p ON p.id = d.operator_id
    WHERE ${matching(scope, filter)}
    ORDER BY x.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

export async function countExtractions(db: Db, scope: DataScope, filter: ExtractionFilter): Promise<number> {
  return countRows(
    db,
    sql`FROM log_extraction x JOIN device d ON d.id = x.device_id
    WHERE ${matching(scope, filter)}`,
  )
}

export async function findExtraction(
  db: Db,
  scope: DataScope,
  id: string,
): Promise<ExtractionRecord | undefined> {
  const [row] = await listExtractions(db, scope, { ids: [id] }, { limit: 1, offset: 0 })
  return row
}

/** For the caller that made it: no scope. */
export async function readOutcome(
  db: Db,
  id: string,
): Promise<{ state: LogExtractionState; reason: string | null } | undefined> {
  return db.selectFrom('log_extraction').select(['state', 'reason']).where('id', '=', id).executeTakeFirst()
}

/**
 * Releases the files of extractions made before that time; returns their ids. The store's collector deletes the files.
 */
export async function releaseFiles(db: Db, before: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    UPDATE log_extraction SET file_id = NULL WHERE file_id IS NOT NULL AND created_at < ${before}
    RETURNING id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Deletes extractions made before the moment that have ended, no more than `limit`; returns how many. */
export const deleteExtractions = deletingOld(({ db, before, limit }) =>
  sql`
    DELETE FROM log_extraction WHERE id IN (
      SELECT id FROM log_extraction WHERE next_at IS NULL AND created_at < ${before} LIMIT ${limit})`.execute(
    db,
  ),
)
