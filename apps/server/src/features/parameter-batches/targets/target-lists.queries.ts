// Devices of batches and their log, as pages and the Excel file show them.
import type { AttemptResult, BatchCounts, BatchDeviceState } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import { deviceIdsByCode } from '../../../domain/access/device-search.ts'
import type { PlacedRow } from '../../../platform/calls/live-noun.ts'
import type { Db } from '../../../platform/database/database.ts'
import { countRows, type Page } from '../../../platform/database/paging.ts'

const isEverything = ({ operatorIds, equipTypeIds, regionIds }: DataScope) =>
  operatorIds === null && equipTypeIds === null && regionIds === null

/** The target `t` is of a device in the scope. */
const isWithin = (scope: DataScope) =>
  isEverything(scope)
    ? sql<SqlBool>`true`
    : sql<SqlBool>`(t.device_id IN (SELECT d.id FROM device d WHERE ${deviceWithinScope(scope)})) IS TRUE`

/** The state of a target `t` as readers see it: a command that no device has been handed is not sent yet. */
const shownState = sql<BatchDeviceState>`CASE
  WHEN t.state = 'sent' AND (SELECT c.state FROM device_command c WHERE c.id = t.command_id) = 'waiting' THEN 'waiting'
  ELSE t.state END`

export const noDevices: BatchCounts = {
  total: 0,
  held: 0,
  waiting: 0,
  sent: 0,
  confirming: 0,
  succeeded: 0,
  failed: 0,
  refused: 0,
  expired: 0,
  skipped: 0,
  stopped: 0,
}

/** Devices by state of each batch, as far as the scope reaches; those of trials alone where so asked. */
export async function readCounts(
  db: Db,
  scope: DataScope,
  batchIds: readonly number[],
  { isTrial = false } = {},
): Promise<Map<number, BatchCounts>> {
  const within = isTrial ? sql<SqlBool>`(t.is_trial AND ${isWithin(scope)})` : isWithin(scope)
  // Targets that are not under way are counted in the index alone.
  const { rows } = await sql<{ id: number; state: BatchDeviceState; count: number }>`
    SELECT t.batch_id AS id, t.state, count(*)::int AS count FROM parameter_target t
    WHERE t.batch_id = ANY(${batchIds}::int[]) AND t.state <> 'sent' AND ${within} GROUP BY 1, 2
    UNION ALL
    SELECT t.batch_id, ${shownState}, count(*)::int FROM parameter_target t
    WHERE t.batch_id = ANY(${batchIds}::int[]) AND t.state = 'sent' AND ${within} GROUP BY 1, 2`.execute(db)
  const counts = new Map(batchIds.map((id) => [id, { ...noDevices }]))
  for (const { id, state, count } of rows) {
    const ofOne = counts.get(id)
    if (!ofOne) continue
    ofOne[state] += count
    ofOne.total += count
  }
  return counts
}

export interface TargetFilter {
  batchId: number
  states?: readonly BatchDeviceState[] | undefined
  reason?: string | undefined
  /** Codes or parts of them. */
  code?: readonly string[] | undefined
  /** Those that a trial begins with, or the others. */
  isTrial?: boolean | undefined
  ids?: readonly string[] | undefined
}

const ofCodes = (scope: DataScope, codes: readonly string[]) =>
  sql<SqlBool>`t.device_id = ANY(${deviceIdsByCode(scope, codes)})`

/** The targets `t` that a filter asks for, within the scope. */
function targetsMatching(scope: DataScope, { batchId, states, reason, code, isTrial, ids }: TargetFilter) {
  const parts: RawBuilder<SqlBool>[] = [sql`t.batch_id = ${batchId}`, isWithin(scope)]
  if (states?.length) {
    const kept = states.includes('waiting') ? [...states, 'sent'] : states
    parts.push(sql`t.state = ANY(${kept}::text[])`)
    if (kept.includes('sent')) parts.push(sql`${shownState} = ANY(${states}::text[])`)
  }
  if (reason !== undefined) parts.push(sql`t.reason = ${reason}`)
  if (code) parts.push(ofCodes(scope, code))
  if (isTrial !== undefined) parts.push(sql`t.is_trial = ${isTrial}`)
  if (ids) parts.push(sql`t.id = ANY(${ids}::int8[])`)
  return sql`FROM parameter_target t WHERE ${sql.join(parts, sql` AND `)}`
}

export interface TargetRecord {
  id: string
  equipId: number
  code: string
  name: string | null
  address: string | null
  operatorName: string
  regionName: string
  isOnline: 0 | 1 | null
  state: BatchDeviceState
  isTrial: boolean
  reason: string | null
  attempts: number
  nextTime: Date | null
  values: { id: string; value: string; former: string | null; current: string | null }[]
  verifiedTime: Date | null
  changeTime: Date
}

/** A page, in the order in which the devices were chosen; after that row where `after` is given. */
export async function listTargets(
  db: Db,
  scope: DataScope,
  filter: TargetFilter,
  { limit, offset, after }: Page & { after?: string },
): Promise<TargetRecord[]> {
  const { rows } = await sql<TargetRecord>`
    WITH page AS MATERIALIZED (
      SELECT t.id ${targetsMatching(scope, filter)} AND t.id > ${after ?? '0'}::int8
      ORDER BY t.id LIMIT ${limit} OFFSET ${offset}
    )
    SELECT t.id, d.id AS "equipId", d.code, d.name, d.address, o.name AS "operatorName", r.full_name AS "regionName",
      CASE WHEN s.online_changed_at IS NOT NULL THEN s.is_online::int END AS "isOnline",
      ${shownState} AS state, t.is_trial AS "isTrial", t.reason, t.attempts, CASE WHEN t.state = 'waiting' THEN t.next_at END AS "nextTime",
      (SELECT jsonb_agg(jsonb_build_object('id', w.key, 'value', w.value, 'former', t.former ->> w.key,
          'current', p.value) ORDER BY w.key)
        FROM jsonb_each_text(coalesce(t.wanted, b.wanted)) w
        LEFT JOIN device_parameter p ON p.device_id = t.device_id AND p.parameter_id = w.key
        WHERE w.value IS NOT NULL) AS values,
      t.verified_at AS "verifiedTime", t.changed_at AS "changeTime"
    FROM page
    JOIN parameter_target t ON t.id = page.id
    JOIN parameter_batch b ON b.id = t.batch_id
    JOIN device d ON d.id = t.device_id
    JOIN operator o ON o.id = d.operator_id
    JOIN region r ON r.id = d.region_id
    LEFT JOIN device_state s ON s.device_id = d.id
    ORDER BY t.id`.execute(db)
  return rows.map((row) => ({ ...row, values: row.values ?? [] }))
}

export async function countTargets(db: Db, scope: DataScope, filter: TargetFilter): Promise<number> {
  return countRows(db, targetsMatching(scope, filter))
}

/** The most frequent reasons of devices that did not succeed; those of a trial alone where so asked. */
export async function listReasons(
  db: Db,
  scope: DataScope,
  batchId: number,
  { isTrial }: Pick<TargetFilter, 'isTrial'> = {},
) {
  const states = ['failed', 'refused', 'expired', 'skipped', 'stopped'] as const
  const { rows } = await sql<{ state: BatchDeviceState; reason: string; count: number }>`
    SELECT t.state, coalesce(t.reason, '') AS reason, count(*)::int AS count
    ${targetsMatching(scope, { batchId, states, isTrial })}
    GROUP BY 1, 2 ORDER BY 3 DESC, 2 LIMIT 50`.execute(db)
  return rows
}

/** Where the devices of these batches stand: a row for each place. */
export async function readPlacesOfBatches(db: Db, ids: readonly string[]): Promise<PlacedRow[]> {
  const { rows } = await sql<PlacedRow>`
    SELECT DISTINCT t.batch_id::text AS id, d.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId",
      d.region_id AS "regionId"
    FROM parameter_target t JOIN device d ON d.id = t.device_id JOIN equip_model m ON m.id = d.model_id
    WHERE t.batch_id = ANY(${ids}::int[])`.execute(db)
  return rows
}

export interface LogFilter {
  batchId: number
  results?: readonly AttemptResult[] | undefined
  /** Codes or parts of them. */
  code?: readonly string[] | undefined
  targetId?: string | undefined
}

/** The attempts `a` that a filter asks for, of devices in the scope. */
function logMatching(scope: DataScope, { batchId, results, code, targetId }: LogFilter) {
  const parts: RawBuilder<SqlBool>[] = [sql`a.batch_id = ${batchId}`]
  if (results?.length) parts.push(sql`a.result = ANY(${results}::text[])`)
  if (targetId !== undefined) parts.push(sql`a.target_id = ${targetId}::int8`)
  const ofTargets: RawBuilder<SqlBool>[] = []
  if (code) ofTargets.push(ofCodes(scope, code))
  if (!isEverything(scope)) ofTargets.push(isWithin(scope))
  if (ofTargets.length > 0)
    parts.push(sql`a.target_id IN (
      SELECT t.id FROM parameter_target t WHERE t.batch_id = ${batchId} AND ${sql.join(ofTargets, sql` AND `)})`)
  return sql`FROM parameter_attempt a WHERE ${sql.join(parts, sql` AND `)}`
}

export interface LogRecord {
  id: string
  equipId: number
  code: string
  attempt: number
  result: AttemptResult
  reason: string | null
  wanted: Record<string, string>
  createTime: Date
  sendTime: Date | null
  answerTime: Date | null
  endTime: Date | null
}

/** A page, newest first. */
export async function listLog(
  db: Db,
  scope: DataScope,
  filter: LogFilter,
  { limit, offset }: Page,
): Promise<LogRecord[]> {
  const { rows } = await sql<LogRecord>`
    WITH page AS MATERIALIZED (
      SELECT a.id ${logMatching(scope, filter)} ORDER BY a.id DESC LIMIT ${limit} OFFSET ${offset}
    )
    SELECT a.id, d.id AS "equipId", d.code, a.number AS attempt, a.result, a.reason,
      coalesce(t.wanted, b.wanted) AS wanted, a.created_at AS "createTime",
      coalesce(a.sent_at, CASE WHEN c.attempts > 0 THEN c.sent_at END) AS "sendTime",
      a.answered_at AS "answerTime", a.ended_at AS "endTime"
    FROM page
    JOIN parameter_attempt a ON a.id = page.id
    JOIN parameter_target t ON t.id = a.target_id
    JOIN parameter_batch b ON b.id = t.batch_id
    JOIN device d ON d.id = t.device_id
    LEFT JOIN device_command c ON c.id = a.command_id
    ORDER BY a.id DESC`.execute(db)
  return rows
}

/** How many there are; of a deleted device none. */
export async function countLog(db: Db, scope: DataScope, filter: LogFilter): Promise<number> {
  return countRows(db, logMatching(scope, filter))
}
