// The devices of a batch and the values that each of them is to get: resolved once, for a preview or for its targets.
import {
  type BatchSkip,
  type BatchTrial,
  isStationKey,
  observedText,
  parameterFamily,
  protocolsWithout,
} from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import { isObserved } from '../../../domain/device-work/observed.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { normalForm } from './normal-form.ts'

/** Parameter id → value. */
export type Wanted = Readonly<Record<string, string>>

/** A query of (device_id, wanted, former, skip): `wanted` null where the device gets the batch's values. */
export type Plan = RawBuilder<unknown>

/**
 * Batches are planned one after the other: the targets of other batches that a plan has read stay as they are until its
 * own are committed, so that no two batches set one parameter of a device at once. The lock lasts until the end of the
 * transaction.
 */
export async function lockPlanning(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('parameter_target_plan'))`.execute(trx)
}

/** Another batch sets one of these parameters of the device. */
export const isBusy = (
  deviceId: RawBuilder<unknown>,
  parameterIds: RawBuilder<unknown>,
) => sql<SqlBool>`EXISTS (
  SELECT FROM parameter_target o JOIN parameter_batch ob ON ob.id = o.batch_id
  WHERE o.device_id = ${deviceId} AND o.state IN ('held', 'waiting', 'sent', 'confirming')
    AND jsonb_exists_any(coalesce(o.wanted, ob.wanted), ${parameterIds}))`

/** Models that are known not to have all of these parameters: those of no cabinet, unless a device reported them. */
const modelsWithout = (parameterIds: readonly string[]) => sql`
  SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
  WHERE t.classify <> ${parameterFamily} AND (
    SELECT count(DISTINCT p.parameter_id) FROM device o JOIN device_parameter p ON p.device_id = o.id
    WHERE o.model_id = m.id AND p.parameter_id = ANY(${parameterIds}::text[])
  ) < ${parameterIds.length}`

/** The plan that gives the devices `d` of the condition the values, except devices that have them all. */
export function planOfValues(matching: RawBuilder<SqlBool>, wanted: Wanted): Plan {
  const ids = Object.keys(wanted)
  return sql`
    SELECT chosen.id AS device_id, NULL::jsonb AS wanted, coalesce(known.former, '{}') AS former,
      CASE
        WHEN chosen.protocol = ANY(${protocolsWithout('setParameters')}::text[]) THEN 'noAbility'
        WHEN ${isObserved(sql`chosen.id`)} THEN 'observed'
        WHEN chosen.protocol = 'ocpp16' AND ${!ids.every(isStationKey)}::boolean
          OR chosen.protocol <> 'ocpp16' AND ${ids.some(isStationKey)}::boolean THEN 'noParameter'
        WHEN chosen.protocol <> 'ocpp16' AND chosen.model_id IN (${modelsWithout(ids)}) THEN 'noParameter'
        WHEN known.same = ${ids.length} THEN 'sameValue'
        WHEN ${isBusy(sql`chosen.id`, sql`${ids}::text[]`)} THEN 'busy'
      END AS skip
    FROM (SELECT d.id, d.model_id, d.protocol FROM device d WHERE ${matching}) chosen
    LEFT JOIN (
      SELECT p.device_id, jsonb_object_agg(p.parameter_id, p.value) AS former,
        count(*) FILTER (WHERE ${normalForm(sql`p.value`)} = ${normalForm(sql`w.value`)}) AS same
      FROM device_parameter p JOIN jsonb_each_text(${JSON.stringify(wanted)}::jsonb) w ON w.key = p.parameter_id
      JOIN device d ON d.id = p.device_id
      WHERE ${matching}
      GROUP BY p.device_id
    ) known ON known.device_id = chosen.id`
}

/**
 * The devices of a batch get back the values that they had before it, for the parameters that still have the batch's
 * value: a value that was changed since was changed on purpose.
 */
export function planOfRestoration(originId: number, scope: DataScope): Plan {
  return sql`
    SELECT device_id, wanted, coalesce(former, '{}') AS former,
      CASE
        WHEN wanted IS NULL THEN CASE WHEN has_changed THEN 'changedSince' WHEN is_unknown THEN 'unknownFormer'
          ELSE 'sameValue' END
        WHEN ${isBusy(sql`v.device_id`, sql`ARRAY(SELECT jsonb_object_keys(v.wanted))`)} THEN 'busy'
      END AS skip
    FROM (
      SELECT t.device_id,
        jsonb_object_agg(w.key, t.former ->> w.key) FILTER (WHERE f.fate = 'restored') AS wanted,
        jsonb_object_agg(w.key, p.value) FILTER (WHERE f.fate = 'restored') AS former,
        bool_or(f.fate = 'changedSince') AS has_changed, bool_or(f.fate = 'unknownFormer') AS is_unknown
      FROM parameter_target t
      JOIN device d ON d.id = t.device_id
      JOIN parameter_batch b ON b.id = t.batch_id
      CROSS JOIN LATERAL jsonb_each_text(coalesce(t.wanted, b.wanted)) w
      LEFT JOIN device_parameter p ON p.device_id = t.device_id AND p.parameter_id = w.key
      CROSS JOIN LATERAL (SELECT CASE
        WHEN t.former ->> w.key IS NULL THEN 'unknownFormer'
        WHEN ${normalForm(sql`p.value`)} = ${normalForm(sql`t.former ->> w.key`)} THEN 'sameValue'
        WHEN ${normalForm(sql`p.value`)} = ${normalForm(sql`w.value`)} THEN 'restored'
        ELSE 'changedSince'
      END AS fate) f
      WHERE t.batch_id = ${originId} AND t.state <> 'skipped' AND ${deviceWithinScope(scope)}
      GROUP BY t.device_id
    ) v`
}

export const skipTexts: Record<BatchSkip, string> = {
  noParameter: '设备类型没有该参数',
  noAbility: '设备的接入协议不支持设置参数',
  observed: observedText,
  sameValue: '参数值已一致，无需设置',
  busy: '其他批次正在设置相同参数',
  changedSince: '参数值此后已被改动',
  unknownFormer: '设备此前未上报过该参数',
}

/**
 * Of a plan, the devices that a trial begins with: (device_id, is_online). Those of these codes; else so many that are
 * online, one of each model and operator before a second one of any.
 */
const onTrial = (plan: RawBuilder<unknown>, { count, codes }: Pick<BatchTrial, 'count' | 'codes'>) => sql`
  SELECT v.device_id, v.is_online FROM (
    SELECT p.device_id, coalesce(s.is_online, false) AS is_online,
      row_number() OVER (
        PARTITION BY coalesce(s.is_online, false), d.model_id, d.operator_id ORDER BY random()
      ) AS nth
    FROM (${plan}) p JOIN device d ON d.id = p.device_id LEFT JOIN device_state s ON s.device_id = d.id
    WHERE p.skip IS NULL AND ${codes ? sql`d.code = ANY(${codes}::text[])` : sql`true`}
  ) v
  ORDER BY v.is_online DESC, v.nth, random() LIMIT ${codes?.length ?? count}`

/** How a trial would begin: its devices, those of them that are offline, and its codes that are no devices of the plan. */
export async function previewTrial(
  db: Db,
  plan: Plan,
  trial: Pick<BatchTrial, 'count' | 'codes'>,
): Promise<{ devices: number; offline: number; unknownCodes: string[] }> {
  const { rows } = await sql<{ devices: number; offline: number; unknownCodes: string[] }>`
    WITH plan AS MATERIALIZED (${plan}),
      chosen AS MATERIALIZED (${onTrial(sql`SELECT * FROM plan`, trial)})
    SELECT (SELECT count(*)::int FROM chosen) AS devices,
      (SELECT count(*)::int FROM chosen WHERE NOT is_online) AS offline,
      ARRAY(
        SELECT asked.code FROM unnest(${trial.codes ?? []}::text[]) WITH ORDINALITY AS asked (code, n)
        WHERE NOT EXISTS (
          SELECT FROM chosen JOIN device d ON d.id = chosen.device_id WHERE d.code = asked.code
        )
        ORDER BY asked.n
      ) AS "unknownCodes"`.execute(db)
  return rows[0] as { devices: number; offline: number; unknownCodes: string[] }
}

/**
 * Writes the targets of a batch; where it begins with a trial, the others are held. Returns how many there are, how many
 * of them are to be set, and how many of these are on trial.
 */
export async function insertTargets(
  trx: Trx,
  batchId: number,
  plan: Plan,
  trial: BatchTrial | null,
): Promise<{ total: number; waiting: number; trial: number }> {
  const texts = sql`jsonb_build_object(${sql.join(
    Object.entries(skipTexts)
      .flat()
      .map((text) => sql`${text}::text`),
  )})`
  const { rows } = await sql<{ total: number; waiting: number; trial: number }>`
    WITH plan AS MATERIALIZED (${plan}),
      first AS MATERIALIZED (${trial ? onTrial(sql`SELECT * FROM plan`, trial) : sql`SELECT NULL::int AS device_id WHERE false`}),
      added AS (
        INSERT INTO parameter_target (batch_id, device_id, state, reason, next_at, wanted, former, is_trial)
        SELECT ${batchId}, plan.device_id,
          CASE WHEN skip IS NOT NULL THEN 'skipped' WHEN ${trial === null} OR first.device_id IS NOT NULL THEN 'waiting'
            ELSE 'held' END,
          ${texts} ->> skip,
          CASE WHEN skip IS NULL AND (${trial === null} OR first.device_id IS NOT NULL) THEN now() END,
          wanted, former, first.device_id IS NOT NULL
        FROM plan LEFT JOIN first ON first.device_id = plan.device_id
        RETURNING state, is_trial
      )
    SELECT count(*)::int AS total, (count(*) FILTER (WHERE state <> 'skipped'))::int AS waiting,
      (count(*) FILTER (WHERE is_trial))::int AS trial
    FROM added`.execute(trx)
  return rows[0] ?? { total: 0, waiting: 0, trial: 0 }
}

/** The devices that a plan leaves out: (device_id, part, reason). */
export const leftOutBy = (plan: Plan): RawBuilder<unknown> =>
  sql`SELECT device_id, NULL::text, skip FROM (${plan}) plan WHERE skip IS NOT NULL`

export interface PlanSummary {
  chosen: number
  devices: number
  offline: number
  skipped: { reason: BatchSkip; devices: number }[]
  /** Of the devices that would be set: how many report `former` now and are to get `value`. */
  changes: { id: string; value: string; former: string | null; devices: number }[]
}

/** The effect of the plan. `wanted`: the batch's values. */
export async function summarize(db: Db, plan: Plan, wanted: Wanted): Promise<PlanSummary> {
  const { rows } = await sql<PlanSummary>`
    WITH plan AS MATERIALIZED (${plan})
    SELECT count(*)::int AS chosen, (count(*) FILTER (WHERE skip IS NULL))::int AS devices,
      (count(*) FILTER (WHERE skip IS NULL AND s.is_online IS NOT TRUE))::int AS offline,
      coalesce((SELECT jsonb_agg(jsonb_build_object('reason', r.skip, 'devices', r.devices) ORDER BY r.devices DESC)
        FROM (SELECT skip, count(*) AS devices FROM plan WHERE skip IS NOT NULL GROUP BY skip) r), '[]') AS skipped,
      coalesce((SELECT jsonb_agg(to_jsonb(c) ORDER BY c.devices DESC, c.former)
        FROM (
          SELECT w.key AS id, w.value, plan.former ->> w.key AS former, count(*) AS devices
          FROM plan CROSS JOIN LATERAL jsonb_each_text(coalesce(plan.wanted, ${JSON.stringify(wanted)}::jsonb)) w
          WHERE plan.skip IS NULL GROUP BY 1, 2, 3
        ) c), '[]') AS changes
    FROM plan LEFT JOIN device_state s ON s.device_id = plan.device_id`.execute(db)
  return rows[0] as PlanSummary
}
