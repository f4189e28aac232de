// SQL of the alarm gate: the alarms of a task's devices in the history. One statement of named parts, each of which
// reads those above it.
import { sql } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import { type GateFigures, gateWindow, settleMinutes } from './gate.rules.ts'

/** The most devices of a stage, and of those not upgraded yet, whose alarms are read: more would change little. */
const sampleSize = 2_000
/** Declared over by a user, of `recoveryMethods`. */
const byUser = sql.lit(2)
/** Devices that are named. */
const namedDevices = 50
/**
 * A device that was sent its command while it was away is taken to have begun at most so long before its new version
 * was reported.
 */
const longestUpgrade = '1 hour'

export interface GateAlarms {
  figures: GateFigures
  /** The new alarms, the most frequent first; `level` null: the dictionary does not know the code. */
  alarms: { code: string; name: string; level: number | null; devices: number }[]
  /** Some of the devices that have them. */
  devices: { equipId: number; code: string }[]
}

interface GateRow {
  stage: number
  windowHours: number
  verified: number
  beforeWindows: number
  controlDevices: number
  alarmed: number
  before: number
  control: number
  codes: {
    code: string
    name: string
    level: number | null
    alarmed: number
    before: number
    control: number
  }[]
  devices: { equipId: number; code: string }[]
}

/** What the gate is asked. */
export interface GateQuestion {
  taskId: number
  stages: readonly { number: number; soakMinutes: number | null }[]
  levels: readonly number[]
  /** Codes that the task ignores where their present level is none of the levels either. */
  ignoredAlarms: readonly string[]
  now: Date
}

const { leastHours, mostHours, beforeHours } = gateWindow
const hours = (count: number) => sql`${count}::float8 * interval '1 hour'`

/** Devices of the stages that were verified and have settled, with the times of both. */
const upgraded = ({ taskId, stages, now }: GateQuestion) => sql`
  SELECT s.number AS stage, t.device_id, min(t.began_at) AS began_at, min(t.verified_at) + s.settle AS settled_at
  FROM (
    SELECT number, minutes * interval '1 minute' AS settle
    FROM unnest(
      ${stages.map(({ number }) => number)}::int[],
      ${stages.map(({ soakMinutes }) => settleMinutes(soakMinutes))}::float8[]
    ) AS s (number, minutes)
  ) s
  CROSS JOIN LATERAL (
    SELECT device_id, verified_at,
      greatest(started_at, verified_at - ${longestUpgrade}::interval) AS began_at
    FROM upgrade_target
    WHERE task_id = ${taskId} AND state = 'succeeded' AND stage = s.number
      AND verified_at <= ${now}::timestamptz - s.settle
    ORDER BY rank LIMIT ${sampleSize}
  ) t
  GROUP BY s.number, s.settle, t.device_id`

/**
 * Devices of the stages that were deleted with new alarms of theirs: they are counted as long as the others. One without
 * any could not tell any more.
 */
const gone = ({ taskId, stages }: GateQuestion) => sql`
  SELECT g.stage, g.device_id, g.began_at, a.code, a.occurred_at
  FROM upgrade_gone g CROSS JOIN LATERAL unnest(g.codes, g.alarmed_at) AS a (code, occurred_at)
  WHERE g.task_id = ${taskId} AND g.is_verified AND g.stage = ANY(${stages.map(({ number }) => number)}::int[])
    AND a.code NOT IN (SELECT code FROM ignored)`

/** How long each stage has been observed, and how many spans of that length its devices lived through before. */
const spans = ({ now }: GateQuestion) => sql`
  SELECT stage, span, floor(${beforeHours}::float8 * 3600 / extract(epoch FROM span))::int AS windows
  FROM (
    SELECT stage, least(
      ${hours(mostHours)}, greatest(${hours(leastHours)}, ${now}::timestamptz - min(began_at))
    ) AS span
    FROM (SELECT stage, began_at FROM upgraded UNION ALL SELECT stage, began_at FROM gone) u GROUP BY stage
  ) s`

const ignored = ({ levels, ignoredAlarms }: GateQuestion) => sql`
  SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND alarm_level <> ALL(${levels}::smallint[])
    AND code = ANY(${ignoredAlarms}::text[])`

/** Alarms that began on upgraded devices, from a day before their upgrade on. */
const begun = ({ now }: GateQuestion) => sql`
  SELECT u.stage, u.device_id, u.began_at, u.settled_at, h.occurred_at, h.recovered_at, h.recovery_method,
    h.semaphore_code AS code
  FROM upgraded u
  CROSS JOIN LATERAL (
    SELECT occurred_at, recovered_at, recovery_method, semaphore_code FROM alarm_history
    WHERE device_id = u.device_id
      AND occurred_at > u.began_at - ${hours(beforeHours)}
      AND occurred_at <= ${now}
      AND occurred_at > (SELECT min(began_at) FROM upgraded) - ${hours(beforeHours)}
    OFFSET 0
  ) h
  WHERE h.semaphore_code NOT IN (SELECT code FROM ignored)`

/**
 * Those of them that are new since the upgrade, within the span: no restart's, and none that stood before. One that a user
 * has declared over is no restart's: who sees one device of the task would have the others upgraded by that.
 */
const raised = ({ now }: GateQuestion) => sql`
  SELECT DISTINCT b.stage, b.device_id, b.code
  FROM begun b JOIN spans s USING (stage)
  WHERE b.occurred_at > greatest(b.began_at, ${now}::timestamptz - s.span)
    AND (b.recovered_at IS NULL OR b.recovery_method = ${byUser} OR b.recovered_at > b.settled_at)
    -- The newest earlier episode of the semaphore: it stood when the upgrade began.
    AND NOT coalesce((
      SELECT p.recovered_at IS NULL OR p.recovered_at > b.began_at
      FROM alarm_history p
      WHERE p.device_id = b.device_id AND p.semaphore_code = b.code AND p.occurred_at <= b.began_at
      ORDER BY p.occurred_at DESC LIMIT 1
    ), false)
  UNION
  SELECT g.stage, g.device_id, g.code FROM gone g JOIN spans s USING (stage)
  WHERE g.occurred_at > ${now}::timestamptz - s.span`

/** Those that the same devices raised before, by the number of the span, counted back from the upgrade. */
const before = sql`
  SELECT DISTINCT b.stage, b.device_id, b.code,
    floor(extract(epoch FROM b.began_at - b.occurred_at) / extract(epoch FROM s.span)) AS n
  FROM begun b JOIN spans s USING (stage)
  WHERE b.occurred_at <= b.began_at AND b.occurred_at > b.began_at - s.windows * s.span`

/** Devices of the task that are online and not upgraded yet. */
const untouched = ({ taskId }: GateQuestion) => sql`
  SELECT DISTINCT t.device_id
  FROM (
    SELECT device_id FROM upgrade_target
    WHERE task_id = ${taskId} AND state = 'waiting' AND attempts = 0 AND started_at IS NULL
    ORDER BY stage, rank LIMIT ${2 * sampleSize}
  ) t
  JOIN device_state d ON d.device_id = t.device_id AND d.is_online
  WHERE NOT EXISTS (
    SELECT FROM upgrade_target o
    WHERE o.task_id = ${taskId} AND o.device_id = t.device_id AND o.started_at IS NOT NULL
  )
  LIMIT ${sampleSize}`

/** Alarms that began on these within the span of each stage. */
const control = ({ now }: GateQuestion) => sql`
  SELECT DISTINCT s.stage, h.device_id, h.code
  FROM (
    SELECT u.device_id, h.occurred_at, h.semaphore_code AS code
    FROM untouched u
    CROSS JOIN LATERAL (
      SELECT occurred_at, semaphore_code FROM alarm_history
      WHERE device_id = u.device_id
        AND occurred_at > ${now}::timestamptz - (SELECT max(span) FROM spans) AND occurred_at <= ${now}
      OFFSET 0
    ) h
    WHERE h.semaphore_code NOT IN (SELECT code FROM ignored)
  ) h
  JOIN spans s ON h.occurred_at > ${now}::timestamptz - s.span`

/** How many upgraded devices of each stage could tell: those that are online, or have told. */
const heard = sql`
  SELECT u.stage, count(DISTINCT u.device_id)::int AS n
  FROM (
    SELECT u.stage, u.device_id FROM upgraded u JOIN device_state d ON d.device_id = u.device_id AND d.is_online
    UNION ALL
    SELECT stage, device_id FROM raised
  ) u
  GROUP BY u.stage`

const ofStage = sql`
  SELECT s.stage, s.span, s.windows, coalesce(h.n, 0) AS verified,
    (SELECT count(*)::int FROM upgraded u WHERE u.stage = s.stage) AS upgraded,
    (SELECT count(DISTINCT device_id)::int FROM raised r WHERE r.stage = s.stage) AS alarmed,
    (SELECT count(DISTINCT (device_id, n))::int FROM before b WHERE b.stage = s.stage) AS before,
    (SELECT count(DISTINCT device_id)::int FROM control c WHERE c.stage = s.stage) AS control
  FROM spans s LEFT JOIN heard h USING (stage)`

/** Of the stage `s`: the codes that upgraded devices raised, the most frequent first. */
const codesOfStage = sql`
  SELECT json_agg(json_build_object(
    'code', c.code, 'name', coalesce(e.name, c.code), 'level', e.alarm_level, 'alarmed', c.n,
    'before', (SELECT count(*) FROM before b WHERE b.stage = s.stage AND b.code = c.code),
    'control', (SELECT count(*) FROM control o WHERE o.stage = s.stage AND o.code = c.code)
  ) ORDER BY c.n DESC, c.code)
  FROM (SELECT code, count(*) AS n FROM raised r WHERE r.stage = s.stage GROUP BY code) c
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = c.code`

/** Of the stage `s`: some of the devices that raised them. */
const devicesOfStage = sql`
  SELECT json_agg(json_build_object('equipId', d.id, 'code', d.code) ORDER BY d.code)
  FROM (
    SELECT DISTINCT device_id FROM raised r WHERE r.stage = s.stage ORDER BY device_id LIMIT ${namedDevices}
  ) r
  JOIN device d ON d.id = r.device_id`

/**
 * The figures of these stages of a task at `now`, by stage; a stage without a device that was verified and has settled
 * is not among them. What counts as a new alarm: docs/decisions/0016-the-alarm-gate.md.
 */
export async function readGateAlarms(db: Db, asked: GateQuestion): Promise<Map<number, GateAlarms>> {
  const { rows } = await sql<GateRow>`
    WITH upgraded AS MATERIALIZED (${upgraded(asked)}),
      ignored AS MATERIALIZED (${ignored(asked)}),
      gone AS MATERIALIZED (${gone(asked)}),
      spans AS MATERIALIZED (${spans(asked)}),
      begun AS MATERIALIZED (${begun(asked)}),
      raised AS MATERIALIZED (${raised(asked)}),
      before AS MATERIALIZED (${before}),
      untouched AS MATERIALIZED (${untouched(asked)}),
      control AS MATERIALIZED (${control(asked)}),
      heard AS (${heard}),
      of_stage AS (${ofStage})
    SELECT s.stage, extract(epoch FROM s.span)::float8 / 3600 AS "windowHours", s.verified,
      s.upgraded * s.windows AS "beforeWindows",
      (SELECT count(*)::int FROM untouched) AS "controlDevices",
      s.alarmed, s.before, s.control,
      coalesce((${codesOfStage}), '[]') AS codes, coalesce((${devicesOfStage}), '[]') AS devices
    FROM of_stage s`.execute(db)
  return new Map(rows.map((row) => [row.stage, gateAlarmsOf(row)]))
}

function gateAlarmsOf({ codes, devices, alarmed, before, control, stage: _, ...rest }: GateRow): GateAlarms {
  return {
    figures: { ...rest, all: { alarmed, before, control }, codes },
    alarms: codes.map(({ code, name, level, alarmed: of }) => ({ code, name, level, devices: of })),
    devices,
  }
}
