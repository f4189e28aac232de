// SQL of the report on availability: the kept days of devices, and beside them those that are not kept as they are.
import type { AvailabilityGroup } from '@voltkeep/contract'
import { type RawBuilder, sql } from 'kysely'
import { type PlaceFilter, passes } from '../../../domain/history/index.ts'
import type { Trx } from '../../../platform/database/database.ts'
import { dayOf, type TimeRange } from '../../../platform/process/clock.ts'
import { touchedWholeDays } from '../days/days.queries.ts'
import { asRelation, touchedDeviceDays } from './device-days.queries.ts'
import type { KeptDay } from './device-days.ts'
import { knownFrom } from './device-spans.queries.ts'
import { type GroupDays, ofGroups } from './group-days.queries.ts'

export interface Asked {
  /** Within the caller's scope. */
  places: PlaceFilter
  /** Up to now, where the range goes on. */
  range: TimeRange
  groupBy: AvailabilityGroup
  /** The regions told apart, where it is grouped by them. */
  regionIds: readonly number[]
  /** Days that are read from the history, of which nothing is kept or of which it does not hold. */
  divided: readonly KeptDay[]
  /** Those of them that are of all devices. */
  wholeDays: readonly string[]
  /** Days that are taken from the sums of groups; null: none can be. */
  groups: GroupDays | null
}

/** The days of the range that are kept. */
export async function listKeptDays(trx: Trx, { from, to }: TimeRange, zone: string): Promise<Set<string>> {
  const { rows } = await sql<{ day: string }>`
    SELECT day::text AS day FROM report_day
    WHERE part = 'devices' AND zone = ${zone} AND day >= ${dayOf(from)}::date AND day <= ${dayOf(to)}::date
      AND day NOT IN (${touchedWholeDays})`.execute(trx)
  return new Set(rows.map(({ day }) => day))
}

const keys = (groupBy: AvailabilityGroup): RawBuilder<unknown> =>
  ({
    operator: sql`d.operator_id::text`,
    model: sql`d.model_id::text`,
    device: sql`d.id::text`,
    region: sql`node`,
  })[groupBy]

/** The devices asked for that count within the range: `id`, the key of their group, and their seconds. */
const devicesOf = ({ places, range, groupBy, regionIds }: Asked) => sql`
  SELECT id, key, known_at, greatest(0,
    floor(extract(epoch FROM ${range.to}::timestamptz))
      - greatest(floor(extract(epoch FROM ${range.from}::timestamptz)), floor(extract(epoch FROM known_at))))::float8 AS alive
  FROM (
    SELECT d.id, ${keys(groupBy)} AS key, ${knownFrom} AS known_at
    FROM (
      SELECT * FROM (SELECT id, id AS device_id, operator_id, model_id, region_id, created_at, '' AS semaphore_code FROM device) AS placed
      WHERE ${passes({ ...places, codes: null })}
    ) AS d
    LEFT JOIN report_device k ON k.device_id = d.id
    ${
      groupBy === 'region'
        ? sql`JOIN region r ON r.id = d.region_id
          JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')) AS node ON node = ANY(${regionIds.map(String)}::text[])`
        : sql``
    }
  ) AS known WHERE known_at < ${range.to}`

/** The days of devices, but for those that the sums of groups have. */
const factsOf = ({ range, divided, wholeDays, groups }: Asked) => sql`
  SELECT device_id, down_s, planned_s, unknown_s, failures, recovered_s FROM report_device_day r
  WHERE day >= ${dayOf(range.from)}::date AND day <= ${dayOf(range.to)}::date
    AND day <> ALL(${[...wholeDays, ...(groups?.days ?? [])]}::date[])
    AND (device_id, day) NOT IN (SELECT t.device_id, t.day FROM (${touchedDeviceDays}) AS t)
  UNION ALL
  SELECT device_id, down_s, planned_s, unknown_s, failures, recovered_s FROM (${asRelation(divided)}) AS f`

export interface TimeSums {
  /** Null: of all groups. */
  key: string | null
  deviceCount: number
  aliveSeconds: number
  downSeconds: number
  plannedSeconds: number
  unknownSeconds: number
  failureCount: number
}

/** The sums of all groups, and of a page of them, the least available first; and how many groups there are. */
export async function sumTimes(
  trx: Trx,
  asked: Asked,
  page: { limit: number; offset: number },
): Promise<{ total: TimeSums; rows: TimeSums[]; rowCount: number }> {
  const { rows } = await sql<TimeSums & { groups: number }>`
    WITH asked AS MATERIALIZED (${devicesOf(asked)}), grouped AS MATERIALIZED (
      SELECT d.key, d.devices AS "deviceCount", d.alive AS "aliveSeconds",
        coalesce(f.down, 0)::float8 AS "downSeconds", coalesce(f.planned, 0)::float8 AS "plannedSeconds",
        coalesce(f.unknown, 0)::float8 AS "unknownSeconds", coalesce(f.failures, 0)::int AS "failureCount"
      FROM (SELECT key, count(*)::int AS devices, sum(alive) AS alive FROM asked GROUP BY key) AS d
      LEFT JOIN (
        SELECT key, sum(down_s) AS down, sum(planned_s) AS planned, sum(unknown_s) AS unknown, sum(failures) AS failures
        FROM (
          SELECT a.key, fact.down_s, fact.planned_s, fact.unknown_s, fact.failures
          FROM (${factsOf(asked)}) AS fact JOIN asked a ON a.id = fact.device_id
          ${
            asked.groups
              ? sql`UNION ALL
                SELECT g.key, g.down_s, g.planned_s, g.unknown_s, g.failures
                FROM report_group_day g WHERE ${ofGroups(asked.groups)}`
              : sql``
          }
        ) AS part GROUP BY key
      ) AS f ON f.key = d.key
    )
    SELECT NULL AS key, coalesce(sum("deviceCount"), 0)::int AS "deviceCount",
      coalesce(sum("aliveSeconds"), 0) AS "aliveSeconds", coalesce(sum("downSeconds"), 0) AS "downSeconds",
      coalesce(sum("plannedSeconds"), 0) AS "plannedSeconds", coalesce(sum("unknownSeconds"), 0) AS "unknownSeconds",
      coalesce(sum("failureCount"), 0)::int AS "failureCount", count(*)::int AS groups
    FROM grouped
    UNION ALL
    SELECT *, 0 FROM (
      SELECT * FROM grouped
      ORDER BY 1 - "downSeconds" / nullif("aliveSeconds" - "plannedSeconds" - "unknownSeconds", 0) NULLS LAST, key
      LIMIT ${page.limit} OFFSET ${page.offset}
    ) AS page`.execute(trx)
  const [total, ...listed] = rows
  if (!total) throw new Error('the sum always answers a row')
  return { total, rows: listed, rowCount: total.groups }
}

export interface Quantiles {
  key: string | null
  count: number
  median: number
  p90: number
}

const quantilesOf = (relation: RawBuilder<unknown>, listed: readonly string[]) => sql`
  WITH told AS MATERIALIZED (${relation})
  SELECT NULL AS key, count(*)::int AS count, percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds)::float8 AS median,
    percentile_disc(0.9) WITHIN GROUP (ORDER BY seconds)::float8 AS p90
  FROM told HAVING count(*) > 0
  UNION ALL
  SELECT key, count(*)::int, percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds)::float8,
    percentile_disc(0.9) WITHIN GROUP (ORDER BY seconds)::float8
  FROM told WHERE key = ANY(${listed}::text[]) GROUP BY key`

/** How long the failures lasted that ended within the range, of those days that are read device by device. */
export const recoveredIn = (asked: Asked) => sql`
  SELECT d.key, seconds
  FROM (${factsOf(asked)}) AS f JOIN (${devicesOf(asked)}) AS d ON d.id = f.device_id
  CROSS JOIN LATERAL unnest(f.recovered_s) AS seconds`

export async function readRecoveries(
  trx: Trx,
  asked: Asked,
  listed: readonly string[],
): Promise<Quantiles[]> {
  const { rows } = await sql<Quantiles>`${quantilesOf(recoveredIn(asked), listed)}`.execute(trx)
  return rows
}

/** How long alarms that began within the range waited for the first who acknowledged them. */
export async function readAcknowledgements(
  trx: Trx,
  asked: Asked,
  listed: readonly string[],
): Promise<Quantiles[]> {
  const { from, to } = asked.range
  const { rows } = await sql<Quantiles>`${quantilesOf(
    sql`
      SELECT d.key, floor(extract(epoch FROM first.at)) - floor(extract(epoch FROM p.occurred_at)) AS seconds
      FROM alarm_handling p JOIN (${devicesOf(asked)}) AS d ON d.id = p.device_id
      CROSS JOIN LATERAL (
        -- A trouble that comes again has been acknowledged before.
        SELECT CASE WHEN p.version = 1 THEN CASE WHEN p.acked_at >= p.occurred_at THEN p.acked_at END ELSE (
          SELECT CASE WHEN NOT bool_or(a.kind = 'carry') THEN min(a.at) END FROM alarm_handling_action a
          WHERE a.episode_id = p.episode_id AND a.kind IN ('ack', 'claim', 'assign', 'close', 'carry')
        ) END AS at
      ) AS first
      WHERE p.occurred_at >= ${from} AND p.occurred_at < ${to} AND first.at IS NOT NULL`,
    listed,
  )}`.execute(trx)
  return rows
}
