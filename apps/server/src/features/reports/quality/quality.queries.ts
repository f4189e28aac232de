// SQL of the report on alarms. Days that are added up come from the report's own tables, all others from the history, in
// one snapshot: the figures are those of the history at any moment.
import { type RawBuilder, sql } from 'kysely'
import { type GroupedBy, type PlaceFilter, passes } from '../../../domain/history/index.ts'
import type { Trx } from '../../../platform/database/database.ts'
import { atDay, dayOf, startOfDay, type TimeRange } from '../../../platform/process/clock.ts'
import { windowMs } from './quality.rules.ts'

const columns = {
  operator: 'operator_id',
  model: 'model_id',
  region: 'region_id',
  code: 'semaphore_code',
  device: 'device_id',
} as const

/** What a report reads: the alarms of these places within whole days. */
export interface Asked {
  places: PlaceFilter
  range: TimeRange
  /** The days of the range whose alarms have to be read from the history, in stretches. */
  unsummed: readonly TimeRange[]
}

/** Of a range of days, those that are not added up, or were touched since. */
export async function listUnsummed(trx: Trx, { from, to }: TimeRange, zone: string): Promise<TimeRange[]> {
  const { rows } = await sql<{ day: string }>`
    SELECT day::date::text AS day
    FROM generate_series(${dayOf(from)}::date, ${dayOf(to)}::date - 1, interval '1 day') AS day
    WHERE day::date NOT IN (SELECT d.day FROM report_day d WHERE d.part = 'alarms' AND d.zone = ${zone})
      OR day::date IN (SELECT t.day FROM (${touchedDays}) AS t)
    ORDER BY day`.execute(trx)
  const stretches: TimeRange[] = []
  for (const { day } of rows) {
    const start = atDay(day)
    const last = stretches.at(-1)
    if (last?.to.getTime() === start.getTime()) last.to = startOfDay(start, 1)
    else stretches.push({ from: start, to: startOfDay(start, 1) })
  }
  return stretches
}

/** The third alarm within a minute may be of the next day. */
export const touchedDays = sql`
  SELECT alarm_at::date AS day FROM report_touched WHERE alarm_at IS NOT NULL
  UNION SELECT (alarm_at + interval '1 minute')::date FROM report_touched WHERE alarm_at IS NOT NULL`

const summedDays = ({ range, unsummed }: Asked) => sql`
  day >= ${dayOf(range.from)}::date AND day < ${dayOf(range.to)}::date
  ${
    unsummed.length > 0
      ? sql`AND NOT (${sql.join(
          unsummed.map(({ from, to }) => sql`day >= ${dayOf(from)}::date AND day < ${dayOf(to)}::date`),
          sql` OR `,
        )})`
      : sql``
  }`

const within = (stretches: readonly TimeRange[]) =>
  sql.join(
    stretches.map(({ from, to }) => sql`(occurred_at >= ${from} AND occurred_at < ${to})`),
    sql` OR `,
  )

/** The regions of `keys` above a row's. */
const nodesOf = (keys: readonly string[]) => sql`
  JOIN region r ON r.id = h.region_id
  JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')) AS node ON node = ANY(${keys}::text[])`

/** Whether what is added up for groups of this kind is of these places: no other kind of place limits them. */
export const isOfOneKind = (by: GroupedBy, { operatorIds, modelIds, regionIds, deviceIds }: PlaceFilter) => {
  if (deviceIds || by === 'device') return false
  const others = {
    operator: [modelIds, regionIds],
    model: [operatorIds, regionIds],
    region: [operatorIds, modelIds],
  }
  return (by === 'code' ? [operatorIds, modelIds, regionIds] : others[by]).every((ids) => ids === null)
}

/** Alarms of each of these groups by successive ten minutes from the beginning of the range on. */
export async function readWindows(
  trx: Trx,
  asked: Asked,
  by: GroupedBy,
  keys: readonly string[],
): Promise<Map<string, Int32Array>> {
  const { places, range, unsummed } = asked
  const isSummed = isOfOneKind(by, places)
  const fromRows = isSummed ? unsummed : [range]
  const length = Math.ceil((range.to.getTime() - range.from.getTime()) / windowMs)
  const counts = new Map<string, Int32Array>()
  const add = (key: string, first: number, at: string, n: string) => {
    const own = counts.get(key) ?? new Int32Array(length)
    counts.set(key, own)
    const numbers = n.split(',')
    for (const [index, one] of at.split(',').entries()) own[first + Number(one)] = Number(numbers[index])
  }
  if (isSummed) {
    const { rows } = await sql<{ key: string; day: string; at: string; n: string }>`
      SELECT key, day::text AS day, array_to_string(at, ',') AS at, array_to_string(n, ',') AS n
      FROM report_window WHERE kind = ${by} AND key = ANY(${keys}::text[]) AND ${summedDays(asked)}`.execute(
      trx,
    )
    for (const { key, day, at, n } of rows)
      add(key, (atDay(day).getTime() - range.from.getTime()) / windowMs, at, n)
  }
  if (fromRows.length > 0) {
    const { rows } = await sql<{ key: string; at: string; n: string }>`
      SELECT key, string_agg(at::text, ',') AS at, string_agg(n::text, ',') AS n FROM (
        SELECT ${by === 'region' ? sql`node` : sql`${sql.ref(`h.${columns[by]}`)}::text`} AS key,
          (extract(epoch FROM h.at - ${range.from}::timestamptz) / ${windowMs / 1000})::int AS at, sum(h.n) AS n
        FROM (
          SELECT ${sql.ref(columns[by])}, date_bin('10 minutes', occurred_at, ${range.from}::timestamptz) AS at,
            count(*) AS n
          FROM alarm_history
          WHERE ${passes({ ...places, codes: by === 'code' ? keys : null })} AND (${within(fromRows)})
            ${by === 'device' ? sql`AND device_id = ANY(${keys}::int[])` : sql``}
          GROUP BY 1, 2
        ) AS h ${by === 'region' ? nodesOf(keys) : sql``}
        GROUP BY 1, 2
      ) AS counted WHERE key = ANY(${keys}::text[]) GROUP BY key`.execute(trx)
    for (const { key, at, n } of rows) add(key, 0, at, n)
  }
  return counts
}

export interface Chattering {
  deviceId: number
  semaphoreCode: string
  n: number
}

/** Alarms that chattered, by device and code. */
export async function readChattering(trx: Trx, asked: Asked): Promise<Chattering[]> {
  const parts = asked.unsummed.map(
    (range) =>
      sql`UNION ALL SELECT device_id, semaphore_code, n FROM (${chatteringIn(range, asked.places)}) AS c`,
  )
  const { rows } = await sql<Chattering>`
    SELECT device_id AS "deviceId", semaphore_code AS "semaphoreCode", sum(n)::int AS n FROM (
      SELECT device_id, semaphore_code, n FROM report_chattering
      WHERE ${passes({ ...asked.places, codes: null })} AND ${summedDays(asked)}
      ${sql.join(parts, sql` `)}
    ) AS c GROUP BY device_id, semaphore_code ORDER BY n DESC, device_id, semaphore_code`.execute(trx)
  return rows
}

/**
 * Of the history: an alarm chatters that is its device's and code's third within a minute, or a later one. By day and
 * place, as the table `report_chattering` keeps them.
 */
export const chatteringIn = ({ from, to }: TimeRange, places: PlaceFilter | null) => sql`
  SELECT occurred_at::date AS day, device_id, semaphore_code, max(operator_id) AS operator_id,
    max(model_id) AS model_id, max(region_id) AS region_id, count(*)::int AS n
  FROM (
    SELECT occurred_at, device_id, semaphore_code, operator_id, model_id, region_id,
      lag(occurred_at, 2) OVER (PARTITION BY device_id, semaphore_code ORDER BY occurred_at, id) AS third
    FROM alarm_history
    WHERE occurred_at >= ${from}::timestamptz - interval '1 minute' AND occurred_at < ${to}
      AND ${places ? passes({ ...places, codes: null }) : sql`true`}
  ) AS h
  WHERE occurred_at >= ${from} AND third >= occurred_at - interval '1 minute'
  GROUP BY occurred_at::date, device_id, semaphore_code`

/** Alarms that stand and began before the moment, by group; of regions those of `keys`. */
export async function countStanding(
  trx: Trx,
  places: PlaceFilter,
  before: Date,
  by: GroupedBy,
  keys: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ key: string; n: number }>`
    SELECT ${by === 'region' ? sql`node` : sql`${sql.ref(`h.${columns[by]}`)}::text`} AS key, sum(h.n)::int AS n
    FROM (
      SELECT ${sql.ref(columns[by])}, count(*) AS n FROM alarm_state
      WHERE is_active AND occurred_at < ${before} AND ${passes({ ...places, codes: null })}
      GROUP BY 1
    ) AS h ${by === 'region' ? nodesOf(keys) : sql``}
    GROUP BY 1`.execute(trx)
  return new Map(rows.map(({ key, n }) => [key, n]))
}

/** The alarms of each of these pairs within the range. */
export async function countPairs(
  trx: Trx,
  { places, range }: Asked,
  pairs: readonly Chattering[],
): Promise<number[]> {
  const { rows } = await sql<{ n: number }>`
    SELECT (
      SELECT count(*) FROM alarm_history
      WHERE device_id = k.pair_device AND semaphore_code = k.pair_code
        AND occurred_at >= ${range.from} AND occurred_at < ${range.to}
        AND ${passes({ ...places, codes: null })}
    )::int AS n
    FROM unnest(${pairs.map(({ deviceId }) => deviceId)}::int[], ${pairs.map(({ semaphoreCode }) => semaphoreCode)}::text[])
      WITH ORDINALITY AS k (pair_device, pair_code, rank)
    ORDER BY k.rank`.execute(trx)
  return rows.map(({ n }) => n)
}

export interface Named {
  key: string
  /** What the wire has as id. */
  id: string
  name: string
}

/** What groups are called; a semaphore that the dictionary does not know by its code. */
export async function nameGroups(
  trx: Trx,
  by: GroupedBy,
  keys: readonly string[],
): Promise<Map<string, Named>> {
  const { rows } = await sql<Named>`${names(by, keys)}`.execute(trx)
  return new Map(rows.map((row) => [row.key, row]))
}

function names(by: GroupedBy, keys: readonly string[]): RawBuilder<unknown> {
  const ids = by === 'code' ? [] : keys.map(Number)
  switch (by) {
    case 'operator':
      return sql`SELECT id::text AS key, id::text AS id, name FROM operator WHERE id = ANY(${ids}::int[])`
    case 'model':
      return sql`SELECT id::text AS key, id::text AS id, name FROM equip_model WHERE id = ANY(${ids}::int[])`
    case 'region':
      return sql`SELECT id::text AS key, code AS id, name FROM region WHERE id = ANY(${ids}::int[])`
    case 'device':
      return sql`SELECT id::text AS key, id::text AS id, code AS name FROM device WHERE id = ANY(${ids}::int[])`
    case 'code':
      return sql`
        SELECT k.code AS key, k.code AS id, coalesce(e.name, k.code) AS name
        FROM unnest(${keys}::text[]) AS k (code)
        LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = k.code`
  }
}

export async function readLevels(trx: Trx, codes: readonly string[]): Promise<Map<string, number | null>> {
  const { rows } = await sql<{ code: string; level: number | null }>`
    SELECT code, alarm_level AS level FROM dictionary_entry
    WHERE type = 'ALARM' AND code = ANY(${codes}::text[])`.execute(trx)
  return new Map(rows.map(({ code, level }) => [code, level]))
}

/**
 * The regions that a report tells apart, none within another: those that the places are limited to; where they are
 * limited to one, and where they are not, the ones a level below.
 */
export async function listRegionsApart(trx: Trx, { topRegionIds }: PlaceFilter): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    WITH top AS (
      SELECT id FROM region
      WHERE ${topRegionIds ? sql`id = ANY(${topRegionIds}::int[])` : sql`parent_id IS NULL`}
    ), below AS (
      SELECT r.id, r.parent_id FROM region r JOIN top ON r.parent_id = top.id
      WHERE ${topRegionIds ? sql`(SELECT count(*) FROM top) = 1` : sql`true`}
    )
    SELECT id FROM below UNION ALL SELECT id FROM top WHERE id NOT IN (SELECT parent_id FROM below)`.execute(
    trx,
  )
  return rows.map(({ id }) => id)
}
