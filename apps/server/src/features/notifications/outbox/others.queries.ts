// SQL that finds what rules are about beside alarms, devices that went offline and tasks, and writes down what is to be told.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import { organizationsUnder } from '../../../domain/access/organization-tree.ts'
import type { PlaceFilter } from '../../../domain/history/index.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { type Receiver, receiverRows } from '../targets/targets.queries.ts'
import type { Placed } from './matching.queries.ts'

/** Devices that count as kept quiet: named, or by place. */
export interface QuietDevices {
  deviceIds: readonly number[]
  places: readonly PlaceFilter[]
}

export interface Telling {
  ruleId: number
  /** Of this look: what an earlier one told is not told to newcomers. */
  now: Date
  due: Date
}

const idsWithin = ({ operatorIds, modelIds, regionIds, deviceIds }: PlaceFilter) => sql`
  SELECT id FROM device
  WHERE (${operatorIds}::int[] IS NULL OR operator_id = ANY(${operatorIds}::int[]))
    AND (${modelIds}::int[] IS NULL OR model_id = ANY(${modelIds}::int[]))
    AND (${regionIds}::int[] IS NULL OR region_id = ANY(${regionIds}::int[]))
    AND (${deviceIds}::int[] IS NULL OR id = ANY(${deviceIds}::int[]))`

const isQuietDevice = ({ deviceIds, places }: QuietDevices) => {
  const parts: RawBuilder<SqlBool>[] = [sql`d.id = ANY(${deviceIds}::int[])`]
  for (const place of places) parts.push(sql`d.id IN (${idsWithin(place)})`)
  return sql<SqlBool>`(${sql.join(parts, sql` OR `)})`
}

/** What tells one time of a device offline from another: the moment, in ms. */
const moment = (at: RawBuilder<unknown>) => sql`floor(extract(epoch FROM ${at}) * 1000)::bigint`
const wentOffline = moment(sql`ds.online_changed_at`)

interface Offline {
  places: PlaceFilter
  quiet: QuietDevices
  since: Date
  until: Date
}

/** Devices that have been offline since then or before, not before the rule was about them, and that it has not told. */
const untoldOffline = (
  { ruleId, now }: Telling,
  { places, quiet, since, until }: Offline,
) => sql`FROM device_state ds JOIN device d ON d.id = ds.device_id JOIN region r ON r.id = d.region_id
    WHERE NOT ds.is_online AND ds.online_changed_at > ${since} AND ds.online_changed_at <= ${until}
      AND d.id IN (${idsWithin(places)}) AND NOT ${isQuietDevice(quiet)}
      AND NOT EXISTS (
        SELECT FROM notify_item i
        WHERE i.subject_id = d.id AND i.rule_id = ${ruleId} AND i.event = 'deviceOffline' AND i.turn = ${wentOffline}
          AND i.created_at < ${now})`

export async function listOffline(db: Db, telling: Telling, offline: Offline): Promise<Placed[]> {
  const { rows } = await sql<Placed>`
    SELECT d.id::text AS id, d.operator_id AS "operatorId", d.region_id AS "regionId",
      (SELECT m.equip_type_id FROM equip_model m WHERE m.id = d.model_id) AS "equipTypeId"
    ${untoldOffline(telling, offline)} ORDER BY d.id`.execute(db)
  return rows
}

/** Writes these down for each of the receivers, where they still are. Returns how many. */
export async function insertOffline(
  trx: Trx,
  telling: Telling,
  offline: Offline,
  { ids, receivers }: { ids: readonly string[]; receivers: readonly Receiver[] },
): Promise<number> {
  const { ruleId, now, due } = telling
  const { rows } = await sql`
    INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_kind, subject_id, event, turn, level, what,
      device_id, device_code, device_name, place, at, created_at, due_at, is_open)
    SELECT ${ruleId}, v.channel_id, v.user_id, v.user_name, 'device', t.*, ${now}, ${due}, true
    FROM (
      SELECT d.id, 'deviceOffline', ${wentOffline}, NULL::int, '设备离线', d.id AS device_id, d.code, d.name,
        concat_ws(' ', r.full_name, d.address), ds.online_changed_at
      ${untoldOffline(telling, offline)} AND d.id = ANY(${ids}::int[])
    ) t CROSS JOIN ${receiverRows(receivers)}
    ORDER BY v.channel_id, v.user_id NULLS FIRST, t.id
    ON CONFLICT DO NOTHING
    RETURNING 1`.execute(trx)
  return rows.length
}

/** An item `i` is about a device that is back by now, or offline anew. */
const isBack = sql`NOT EXISTS (
  SELECT FROM device_state ds
  WHERE ds.device_id = i.subject_id AND NOT ds.is_online AND ${wentOffline} = i.turn)`

/** Forgets devices that are back before anybody was told. */
export async function forgetBack(trx: Trx, channelId: number): Promise<void> {
  await sql`
    DELETE FROM notify_item i
    WHERE i.channel_id = ${channelId} AND i.delivery_id IS NULL AND i.due_at <= now() AND i.event = 'deviceOffline'
      AND ${isBack}`.execute(trx)
}

/**
 * Of devices that were told, those that are back by now get it written down where the rule wants it. Returns the channels
 * with something new to tell.
 */
export async function settleBack(
  trx: Trx,
  { ruleIds, dueAt }: { ruleIds: readonly number[]; dueAt: readonly Date[] },
  limit: number,
): Promise<{ count: number; channelIds: number[] }> {
  const { rows } = await sql<{ count: number; channelIds: number[] }>`
    WITH over AS MATERIALIZED (
      SELECT i.id, i.delivery_id FROM notify_item i
      WHERE i.is_open AND i.event = 'deviceOffline' AND ${isBack}
      ORDER BY i.id LIMIT ${limit} FOR UPDATE OF i
    ), forgotten AS (
      DELETE FROM notify_item i USING over WHERE i.id = over.id AND over.delivery_id IS NULL
    ), closed AS (
      UPDATE notify_item i SET is_open = false FROM over
      WHERE i.id = over.id AND over.delivery_id IS NOT NULL
      RETURNING i.*
    ), written AS (
      INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_kind, subject_id, event, turn, level,
        what, device_id, device_code, device_name, place, at, due_at, is_open)
      SELECT c.rule_id, c.channel_id, c.user_id, c.user_name, 'device', c.subject_id, 'deviceOnline', c.turn, NULL,
        '设备恢复在线', c.device_id, c.device_code, c.device_name, c.place, ds.online_changed_at, w.due_at, false
      FROM closed c
      JOIN unnest(
        ${ruleIds}::int[], ${dueAt.map((at) => at.toISOString())}::timestamptz[]
      ) AS w (rule_id, due_at) ON w.rule_id = c.rule_id
      JOIN device_state ds ON ds.device_id = c.subject_id AND ds.is_online
      WHERE NOT EXISTS (SELECT FROM notify_delivery y WHERE y.id = c.delivery_id AND y.state = 'givenUp')
      ON CONFLICT DO NOTHING
      RETURNING channel_id
    )
    SELECT (SELECT count(*)::int FROM over) AS count,
      ARRAY(SELECT DISTINCT channel_id FROM written ORDER BY channel_id) AS "channelIds"`.execute(trx)
  return rows[0] ?? { count: 0, channelIds: [] }
}

/** When the server's present run began, as its own record has it; null where there is none. */
export async function readRunBegan(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`SELECT max(from_at) AS at FROM report_beat`.execute(db)
  return rows[0]?.at ?? null
}

/**
 * Tasks that are paused or over, `t`: its id, organization, what it is, whether it is paused, and since when it is what it
 * is; and the devices that it is about.
 */
const taskKinds = {
  upgrade: {
    tasks: sql`
      SELECT t.id, t.organization_id, '升级任务 ' || y.name AS name,
        CASE WHEN t.state = 'paused' THEN coalesce(': ' || nullif(t.pause->>'note', ''), '')
          WHEN t.state = 'cancelled' THEN '，已取消' ELSE '' END AS note,
        t.state = 'paused' AS is_paused,
        CASE WHEN t.state = 'paused' THEN (
          SELECT max(x.at) FROM upgrade_transition x
          WHERE x.task_id = t.id AND x.target_id IS NULL AND x.to_state = 'paused')
        ELSE t.finished_at END AS at
      FROM upgrade_task t JOIN equip_type y ON y.id = t.equip_type_id
      WHERE t.state = 'paused' OR t.finished_at > now() - interval '1 day'`,
    targets: (id: RawBuilder<unknown>) =>
      sql`SELECT x.device_id FROM upgrade_target x WHERE x.task_id = ${id}`,
  },
  batch: {
    tasks: sql`
      SELECT t.id, t.organization_id, '批量设置 ' || coalesce(t.name, t.code) AS name,
        CASE WHEN t.state = 'paused' THEN ': 试行结束，等待继续' WHEN t.state = 'stopped' THEN '，已停止' ELSE '' END AS note,
        t.state = 'paused' AS is_paused,
        CASE WHEN t.state = 'paused' THEN t.trial_ended_at ELSE t.finished_at END AS at
      FROM parameter_batch t
      WHERE t.state = 'paused' OR t.finished_at > now() - interval '1 day'`,
    targets: (id: RawBuilder<unknown>) =>
      sql`SELECT x.device_id FROM parameter_target x WHERE x.batch_id = ${id}`,
  },
}

/** How many devices a task has in the scope and of these places. */
const devicesOf = (
  kind: keyof typeof taskKinds,
  id: RawBuilder<unknown>,
  scope: DataScope,
  places: PlaceFilter,
): RawBuilder<number> => sql<number>`(
  SELECT count(*) FROM device d
  WHERE d.id IN (${taskKinds[kind].targets(id)}) AND ${deviceWithinScope(scope)} AND d.id IN (${idsWithin(places)}))`

/** The same of the task of an item `i`. */
export const devicesOfTask = (kind: keyof typeof taskKinds, scope: DataScope, places: PlaceFilter) =>
  devicesOf(kind, sql`i.subject_id`, scope, places)

interface Tasks {
  kind: keyof typeof taskKinds
  events: readonly string[]
  organizationId: number
  scope: DataScope
  places: PlaceFilter
  since: Date
}

/**
 * Tasks `t` that were paused or have ended since then, `v`: of the organization under which the rule stands, with the number
 * `n` of their devices in the scope; those that have none there, or that the rule has told, are left out.
 */
const untoldTasks = (
  { ruleId, now }: Telling,
  { kind, events, organizationId, scope, places, since }: Tasks,
) => sql`FROM (${taskKinds[kind].tasks}) t
    CROSS JOIN LATERAL (SELECT CASE WHEN t.is_paused THEN 'taskPaused' ELSE 'taskEnded' END AS event) v
    CROSS JOIN LATERAL (SELECT ${devicesOf(kind, sql`t.id`, scope, places)} AS count) n
    WHERE t.at > ${since} AND v.event = ANY(${events}::text[]) AND n.count > 0
      AND t.organization_id IN (${organizationsUnder(organizationId)})
      AND NOT EXISTS (
        SELECT FROM notify_item i
        WHERE i.subject_id = t.id AND i.rule_id = ${ruleId} AND i.event = v.event AND i.turn = ${moment(sql`t.at`)}
          AND i.subject_kind = ${kind} AND i.created_at < ${now})`

export async function hasTasks(db: Db, telling: Telling, tasks: Tasks): Promise<boolean> {
  const { rows } = await sql`SELECT ${untoldTasks(telling, tasks)} LIMIT 1`.execute(db)
  return rows.length > 0
}

/** Writes them down for each of the receivers. Returns how many. */
export async function insertTasks(
  trx: Trx,
  telling: Telling,
  tasks: Tasks,
  receivers: readonly Receiver[],
): Promise<number> {
  const { ruleId, now, due } = telling
  const { rows } = await sql`
    INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_kind, subject_id, event, turn, level,
      what, device_id, device_code, device_name, place, at, value, created_at, due_at, is_open)
    SELECT ${ruleId}, v.channel_id, v.user_id, v.user_name, ${tasks.kind}, x.id, x.event, x.turn, NULL, x.what, NULL, '',
      NULL, '', x.at, x.count, ${now}, ${due}, false
    FROM (
      SELECT t.id, v.event, ${moment(sql`t.at`)} AS turn,
        t.name || '（' || n.count || ' 台）' || replace(t.note, ': ', '：') AS what, t.at, n.count
      ${untoldTasks(telling, tasks)}
    ) x CROSS JOIN ${receiverRows(receivers)}
    ORDER BY v.channel_id, v.user_id NULLS FIRST, x.id
    ON CONFLICT DO NOTHING
    RETURNING 1`.execute(trx)
  return rows.length
}
