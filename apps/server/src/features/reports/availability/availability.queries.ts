// SQL of the report on availability: the kept days of devices, and beside them those that are not kept as they are.
import type { AvailabilityGroup } from '@voltkeep/contract'
import { type RawBuilder, sql } from 'kysely'
import { deviceWithin, type PlaceFilter, passes } from '../../../domain/history/index.ts'
import type { Trx } from '../../../platform/database/database.ts'
import { countRows } from '../../../platform/database/paging.ts'
import { dayOf, type TimeRange } from '../../../platform/process/clock.ts'
import { touchedWholeDays } from '../days/days.queries.ts'
import { monthsOf, ofDays } from '../days/running-sums.ts'
import { asRelation } from './device-days.queries.ts'
import type { KeptDay, Touched } from './device-days.ts'
import { knownFrom } from './device-spans.queries.ts'
import { type Lengths, quantilesOf, unpackLengths } from './lengths.rules.ts'
import { measures } from './sums.queries.ts'

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
  /** What of the kept days does not hold. */
  touched: readonly Touched[]
  /** Kept days that are added up, by place and by device. */
  summed: readonly string[]
  /** Kept days that are not. */
  unsummed: readonly string[]
}

/** The days of the range that are kept, and which of these were touched as a whole since. */
export async function listKeptDays(
  trx: Trx,
  { from, to }: TimeRange,
  zone: string,
): Promise<{ day: string; isTouched: boolean }[]> {
  const { rows } = await sql<{ day: string; isTouched: boolean }>`
    SELECT day::text AS day, day IN (${touchedWholeDays}) AS "isTouched" FROM report_day
    WHERE part = 'devices' AND zone = ${zone} AND day >= ${dayOf(from)}::date AND day <= ${dayOf(to)}::date`.execute(
    trx,
  )
  return rows
}

/** The devices that stand within the places now; null for all of them. */
export async function listDevicesWithin(trx: Trx, places: PlaceFilter): Promise<number[] | null> {
  const { deviceIds, operatorIds, modelIds, regionIds } = places
  if (!deviceIds && !operatorIds && !modelIds && !regionIds) return null
  const { rows } = await sql<{ id: number }>`
    SELECT device_id AS id FROM (SELECT id AS device_id FROM device) AS one WHERE ${deviceWithin(places)}`.execute(
    trx,
  )
  return rows.map(({ id }) => id)
}

export const countDevices = (trx: Trx): Promise<number> => countRows(trx, sql`FROM device`)

const keyOf = (groupBy: AvailabilityGroup, row: string): RawBuilder<unknown> =>
  ({
    operator: sql.ref(`${row}.operator_id`),
    model: sql.ref(`${row}.model_id`),
    device: sql.ref(`${row}.device_id`),
    region: sql`node`,
  })[groupBy]

/** The region of those told apart above that of a row. */
const nodesOf = ({ groupBy, regionIds }: Asked, row: string) =>
  groupBy === 'region'
    ? sql`JOIN region r ON r.id = ${sql.ref(`${row}.region_id`)}
        JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')::int[]) AS node ON node = ANY(${regionIds}::int[])`
    : sql``

/** The devices asked for that count within the range: `id`, the key of their group, and their seconds. */
const devicesOf = (asked: Asked) => sql`
  SELECT id, key, known_at, greatest(0,
    floor(date_part('epoch', ${asked.range.to}::timestamptz))
      - greatest(floor(date_part('epoch', ${asked.range.from}::timestamptz)), floor(date_part('epoch', known_at)))) AS alive
  FROM (
    SELECT d.id, ${keyOf(asked.groupBy, 'd')} AS key, ${knownFrom} AS known_at
    FROM (
      SELECT * FROM (SELECT id, id AS device_id, operator_id, model_id, region_id, created_at FROM device) AS placed
      WHERE ${passes({ ...asked.places, codes: null })}
    ) AS d
    LEFT JOIN report_device k ON k.device_id = d.id
    ${nodesOf(asked, 'd')}
  ) AS known WHERE known_at < ${asked.range.to}`

const facts = sql`r.device_id, r.down_s, r.planned_s, r.unknown_s, r.failures, r.recovered_s`

/** What of kept days does not hold is taken away, and what they are in truth is added: `sign`, of devices as they stand. */
const corrections = ({ touched, divided }: Asked) => sql`
  SELECT -1 AS sign, ${facts}, d.operator_id, d.model_id, d.region_id
  FROM unnest(${touched.flatMap(({ day, deviceIds }) => deviceIds.map(() => day))}::date[],
    ${touched.flatMap(({ deviceIds }) => deviceIds)}::int[]) AS t (day, device_id)
  -- By its key, whatever their number is taken to be.
  CROSS JOIN LATERAL (
    SELECT * FROM report_device_day k WHERE k.day = t.day AND k.device_id = t.device_id OFFSET 0
  ) AS r
  JOIN device d ON d.id = r.device_id
  UNION ALL
  SELECT 1, ${facts}, d.operator_id, d.model_id, d.region_id
  FROM (${asRelation(divided)}) AS r JOIN device d ON d.id = r.device_id`

/** Days of devices as they are kept. */
const keptDays = (days: readonly string[]) => sql`
  SELECT 1 AS sign, ${facts}, d.operator_id, d.model_id, d.region_id
  FROM report_device_day r JOIN device d ON d.id = r.device_id WHERE r.day = ANY(${days}::date[])`

/** The sums of places are as many days as this where devices are asked for one by one, or by name. */
const placeDaysOf = ({ places, summed }: Asked) => (places.deviceIds ? [] : summed)

/** What no sum of a place has, within the places asked for: days that are not added up, devices that moved, corrections. */
const besidePlaces = (asked: Asked) => {
  const byPlace = placeDaysOf(asked)
  return sql`
    SELECT * FROM (
      ${keptDays(asked.places.deviceIds ? [...asked.summed, ...asked.unsummed] : asked.unsummed)}
      UNION ALL
      SELECT m.sign, ${facts}, m.operator_id, m.model_id, m.region_id
      FROM report_moved m CROSS JOIN unnest(${byPlace}::date[]) AS moved (day)
      CROSS JOIN LATERAL (
        SELECT * FROM report_device_day k WHERE k.day = moved.day AND k.device_id = m.device_id OFFSET 0
      ) AS r
      UNION ALL
      ${corrections(asked)}
    ) AS beside WHERE ${passes({ ...asked.places, codes: null })}`
}

const placeDays = (asked: Asked) => sql`
  SELECT * FROM report_place_day
  WHERE day = ANY(${placeDaysOf(asked)}::date[]) AND ${passes({ ...asked.places, deviceIds: null, codes: null })}`

/** The sums of the days of each group. */
const sumsOf = (asked: Asked): RawBuilder<unknown> =>
  asked.groupBy === 'device'
    ? sql`
      SELECT part.device_id AS key, ${sql.join(measures.map((one) => sql`sum(${sql.ref(one)}) AS ${sql.ref(one)}`))}
      FROM (
        SELECT device_id, ${sql.join(measures.map((one) => sql`${ofDays(one, asked.summed)} AS ${sql.ref(one)}`))}
        FROM report_device_month
        WHERE month = ANY(${monthsOf(asked.summed)}::date[]) AND ${deviceWithin(asked.places)}
        UNION ALL
        SELECT device_id, ${sql.join(measures.map((one) => sql`sign * ${sql.ref(one)}`))}
        FROM (${keptDays(asked.unsummed)} UNION ALL ${corrections(asked)}) AS beside
      ) AS part GROUP BY part.device_id`
    : sql`
      SELECT ${keyOf(asked.groupBy, 'part')} AS key,
        ${sql.join(measures.map((one) => sql`sum(${sql.ref(one)}) AS ${sql.ref(one)}`))}
      FROM (
        SELECT operator_id, model_id, region_id, ${sql.join(measures.map((one) => sql.ref(one)))}
        FROM (${placeDays(asked)}) AS p
        UNION ALL
        SELECT operator_id, model_id, region_id, ${sql.join(measures.map((one) => sql`sign * ${sql.ref(one)}`))}
        FROM (${besidePlaces(asked)}) AS b
      ) AS part ${nodesOf(asked, 'part')} GROUP BY key`

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
    WITH grouped AS MATERIALIZED (
      SELECT d.key, d.devices AS "deviceCount", d.alive AS "aliveSeconds",
        coalesce(f.down_s, 0)::float8 AS "downSeconds", coalesce(f.planned_s, 0)::float8 AS "plannedSeconds",
        coalesce(f.unknown_s, 0)::float8 AS "unknownSeconds", coalesce(f.failures, 0)::int AS "failureCount"
      FROM (
        ${
          asked.groupBy === 'device'
            ? sql`SELECT key, 1 AS devices, alive FROM (${devicesOf(asked)}) AS one`
            : sql`SELECT key, count(*)::int AS devices, sum(alive) AS alive FROM (${devicesOf(asked)}) AS one GROUP BY key`
        }
      ) AS d
      LEFT JOIN (${sumsOf(asked)}) AS f ON f.key = d.key
    )
    SELECT NULL AS key, coalesce(sum("deviceCount"), 0)::int AS "deviceCount",
      coalesce(sum("aliveSeconds"), 0) AS "aliveSeconds", coalesce(sum("downSeconds"), 0) AS "downSeconds",
      coalesce(sum("plannedSeconds"), 0) AS "plannedSeconds", coalesce(sum("unknownSeconds"), 0) AS "unknownSeconds",
      coalesce(sum("failureCount"), 0)::int AS "failureCount", count(*)::int AS groups
    FROM grouped
    UNION ALL
    SELECT key::text, "deviceCount", "aliveSeconds", "downSeconds", "plannedSeconds", "unknownSeconds", "failureCount", 0
    FROM (
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

/** How long failures lasted that ended within the range: of these groups, and of all together (key null). */
export async function readRecoveries(
  trx: Trx,
  asked: Asked,
  listed: readonly string[],
): Promise<Quantiles[]> {
  const all: Lengths = { added: [], removed: [] }
  const byKey = new Map<string, Lengths>()
  const of = (key: string) => {
    const own = byKey.get(key) ?? { added: [], removed: [] }
    byKey.set(key, own)
    return own
  }
  const add = (lengths: Lengths, { sign, packed }: PackedLengths) => {
    if (packed) lengths[sign > 0 ? 'added' : 'removed'].push(unpackLengths(packed))
  }
  for (const row of await readLengths(trx, asked)) {
    add(all, row)
    if (row.key !== null) add(of(row.key), row)
  }
  if (asked.groupBy === 'device')
    for (const row of await readLengthsOfDevices(trx, asked, listed)) add(of(row.key ?? ''), row)
  return [null, ...listed].flatMap((key) => {
    const found = quantilesOf(key === null ? all : of(key), [0.5, 0.9])
    return found ? [{ key, count: found.count, median: found.values[0] ?? 0, p90: found.values[1] ?? 0 }] : []
  })
}

interface PackedLengths {
  key: string | null
  sign: number
  /** Null of none. */
  packed: Buffer | null
}

/** By group; of devices all together. */
async function readLengths(trx: Trx, asked: Asked): Promise<PackedLengths[]> {
  const key = asked.groupBy === 'device' ? sql`NULL` : keyOf(asked.groupBy, 'part')
  const { rows } = await sql<PackedLengths>`
    SELECT ${key}::text AS key, 1 AS sign, string_agg(part.recovered_s, ''::bytea) AS packed
    FROM (${placeDays(asked)}) AS part ${nodesOf(asked, 'part')} GROUP BY key, part.day
    UNION ALL
    SELECT ${key}::text AS key, part.sign, string_agg(int4send(seconds), ''::bytea)
    FROM (${besidePlaces(asked)}) AS part ${nodesOf(asked, 'part')}
    CROSS JOIN LATERAL unnest(part.recovered_s) AS seconds GROUP BY key, part.sign`.execute(trx)
  return rows
}

async function readLengthsOfDevices(
  trx: Trx,
  asked: Asked,
  deviceIds: readonly string[],
): Promise<PackedLengths[]> {
  const { rows } = await sql<PackedLengths>`
    SELECT device_id::text AS key, sign, string_agg(int4send(seconds), ''::bytea) AS packed
    FROM (
      SELECT * FROM (
        ${keptDays([...asked.summed, ...asked.unsummed])} UNION ALL ${corrections(asked)}
      ) AS own WHERE device_id = ANY(${deviceIds.map(Number)}::int[])
    ) AS part
    CROSS JOIN LATERAL unnest(recovered_s) AS seconds GROUP BY device_id, sign`.execute(trx)
  return rows
}

const quantilesFrom = (relation: RawBuilder<unknown>, listed: readonly string[]) => sql`
  WITH told AS MATERIALIZED (${relation})
  SELECT NULL AS key, count(*)::int AS count, percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds)::float8 AS median,
    percentile_disc(0.9) WITHIN GROUP (ORDER BY seconds)::float8 AS p90
  FROM told HAVING count(*) > 0
  UNION ALL
  SELECT key::text, count(*)::int, percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds)::float8,
    percentile_disc(0.9) WITHIN GROUP (ORDER BY seconds)::float8
  FROM told WHERE key = ANY(${listed.map(Number)}::int[]) GROUP BY key`

/** How long alarms that began within the range waited for the first who acknowledged them. */
export async function readAcknowledgements(
  trx: Trx,
  asked: Asked,
  listed: readonly string[],
): Promise<Quantiles[]> {
  const { from, to } = asked.range
  const { rows } = await sql<Quantiles>`${quantilesFrom(
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
