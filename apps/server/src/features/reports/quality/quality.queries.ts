// SQL of the report on alarms. Days that are added up come from the report's own tables, all others from the history, in
// one snapshot: the figures are those of the history at any moment.
import { type RawBuilder, sql } from 'kysely'
import { deviceWithin, type GroupedBy, type PlaceFilter, passes } from '../../../domain/history/index.ts'
import type { Trx } from '../../../platform/database/database.ts'
import { atDay, dayOf, startOfDay, type TimeRange } from '../../../platform/process/clock.ts'
import { monthsOf, ofDays } from '../days/running-sums.ts'
import { alarmDeltas, changedPairs } from './alarm-days.queries.ts'
import { chatteringIn, chatteringOf } from './chattering.queries.ts'
import { windowMs } from './quality.rules.ts'
import { addWindows, windowKindFor } from './window-cells.ts'

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
  /** The days of the range that are added up. */
  summed: readonly string[]
  /** Those whose alarms have to be read from the history, in stretches. */
  unsummed: readonly TimeRange[]
}

/** Which days of a range are added up. */
export async function readDays(
  trx: Trx,
  { from, to }: TimeRange,
  zone: string,
): Promise<Pick<Asked, 'summed' | 'unsummed'>> {
  const { rows } = await sql<{ day: string; isSummed: boolean }>`
    SELECT day::date::text AS day,
      day::date IN (SELECT d.day FROM report_day d WHERE d.part = 'alarms' AND d.zone = ${zone}) AS "isSummed"
    FROM generate_series(${dayOf(from)}::date, ${dayOf(to)}::date - 1, interval '1 day') AS day
    ORDER BY day`.execute(trx)
  const unsummed: TimeRange[] = []
  for (const { day, isSummed } of rows) {
    if (isSummed) continue
    const start = atDay(day)
    const last = unsummed.at(-1)
    if (last?.to.getTime() === start.getTime()) last.to = startOfDay(start, 1)
    else unsummed.push({ from: start, to: startOfDay(start, 1) })
  }
  return { summed: rows.flatMap(({ day, isSummed }) => (isSummed ? [day] : [])), unsummed }
}

const isSummedDay = ({ summed }: Asked) => sql`day = ANY(${summed}::date[])`

const within = (stretches: readonly TimeRange[]) =>
  stretches.length === 0
    ? sql`false`
    : sql`(${sql.join(
        stretches.map(({ from, to }) => sql`(occurred_at >= ${from} AND occurred_at < ${to})`),
        sql` OR `,
      )})`

/** The regions of `keys` above a row's. */
const nodesOf = (keys: readonly string[]) => sql`
  JOIN region r ON r.id = h.region_id
  JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')) AS node ON node = ANY(${keys}::text[])`

const keyOf = (by: GroupedBy) => (by === 'region' ? sql`node` : sql`${sql.ref(`h.${columns[by]}`)}::text`)

/** Narrows rows to these groups, where their own columns say it. */
const ofKeys = (by: GroupedBy, keys: readonly string[]) => {
  if (by === 'region') return sql`true`
  const type = by === 'code' ? sql`text[]` : sql`int[]`
  return sql`${sql.ref(columns[by])} = ANY(${by === 'code' ? keys : keys.map(Number)}::${type})`
}

/** Alarms of each of these groups by successive ten minutes from the beginning of the range on. */
export async function readWindows(
  trx: Trx,
  asked: Asked,
  by: GroupedBy,
  keys: readonly string[],
): Promise<Map<string, Int32Array>> {
  const { places, range } = asked
  const length = Math.ceil((range.to.getTime() - range.from.getTime()) / windowMs)
  const counts = new Map<string, Int32Array>()
  const of = (key: string) => {
    const own = counts.get(key) ?? new Int32Array(length)
    counts.set(key, own)
    return own
  }
  const firstOf = (day: string) => Math.round((atDay(day).getTime() - range.from.getTime()) / windowMs)
  const kind = windowKindFor(by, places)
  if (kind && asked.summed.length > 0) {
    const passing = sql`${passes({ ...places, codes: null })} AND ${ofKeys(by, keys)} AND ${isSummedDay(asked)}`
    const { rows } = await sql<{ key: string; day: string; windows: Buffer }>`
      SELECT ${keyOf(by)} AS key, day::text AS day, string_agg(windows, ''::bytea) AS windows FROM (
        SELECT * FROM report_window WHERE kind = ${kind} AND ${passing}
      ) AS h ${by === 'region' ? nodesOf(keys) : sql``}
      GROUP BY 1, day`.execute(trx)
    for (const { key, day, windows } of rows) addWindows(of(key), firstOf(day), windows)
    const { rows: changed } = await sql<{ key: string; day: string; at: number; n: number }>`
      SELECT ${keyOf(by)} AS key, day::text AS day, at, sum(n)::int AS n FROM (
        SELECT * FROM (${alarmDeltas}) AS d WHERE ${passing}
      ) AS h ${by === 'region' ? nodesOf(keys) : sql``}
      GROUP BY 1, day, at`.execute(trx)
    for (const { key, day, at, n } of changed) addTo(of(key), firstOf(day) + at, n)
  }
  const fromRows = kind ? asked.unsummed : [range]
  if (fromRows.length > 0) {
    // Groups by device are within the places already, so that an index of devices alone is enough.
    const passing = by === 'device' ? sql`true` : passes({ ...places, codes: null })
    const { rows } = await sql<{ key: string; at: string; n: string }>`
      SELECT key, string_agg(at::text, ',') AS at, string_agg(n::text, ',') AS n FROM (
        SELECT ${keyOf(by)} AS key,
          (extract(epoch FROM h.at - ${range.from}::timestamptz) / ${windowMs / 1000})::int AS at, sum(h.n) AS n
        FROM (
          SELECT ${sql.ref(columns[by])}, date_bin('10 minutes', occurred_at, ${range.from}::timestamptz) AS at,
            count(*) AS n
          FROM alarm_history WHERE ${passing} AND ${ofKeys(by, keys)} AND ${within(fromRows)}
          GROUP BY 1, 2
        ) AS h ${by === 'region' ? nodesOf(keys) : sql``}
        GROUP BY 1, 2
      ) AS counted GROUP BY key`.execute(trx)
    for (const { key, at, n } of rows) {
      const numbers = n.split(',')
      for (const [index, one] of at.split(',').entries()) addTo(of(key), Number(one), Number(numbers[index]))
    }
  }
  return counts
}

const addTo = (counts: Int32Array, at: number, n: number) => {
  counts[at] = (counts[at] ?? 0) + n
}

/**
 * The devices with the most alarms, and how many have any. Within the places that devices have now, where their history is,
 * too.
 */
export async function countDevices(
  trx: Trx,
  { places, summed, unsummed }: Asked,
  limit: number,
): Promise<{ rows: [key: string, n: number][]; rowCount: number }> {
  const { rows } = await sql<{ key: string; n: number; groups: number }>`
    SELECT device_id::text AS key, n::int AS n, (count(*) OVER ())::int AS groups FROM (
      SELECT device_id, sum(n) AS n FROM (
        SELECT device_id, ${ofDays('running', summed)} AS n FROM report_device_alarms
        WHERE month = ANY(${monthsOf(summed)}::date[]) AND ${deviceWithin(places)}
        UNION ALL
        SELECT device_id, n FROM (${alarmDeltas}) AS d WHERE day = ANY(${summed}::date[]) AND ${deviceWithin(places)}
        UNION ALL
        SELECT device_id, count(*) FROM alarm_history
        WHERE ${passes({ ...places, codes: null })} AND ${within(unsummed)} GROUP BY device_id
      ) AS part GROUP BY device_id HAVING sum(n) <> 0
    ) AS counted
    WHERE EXISTS (SELECT FROM device d WHERE d.id = device_id)
    ORDER BY n DESC, device_id LIMIT ${limit}`.execute(trx)
  return { rows: rows.map(({ key, n }) => [key, n]), rowCount: rows[0]?.groups ?? 0 }
}

export interface Chattering {
  deviceId: number
  semaphoreCode: string
  n: number
}

/** Alarms that chattered, by device and code. */
export async function readChattering(trx: Trx, asked: Asked): Promise<Chattering[]> {
  const passing = passes({ ...asked.places, codes: null })
  const changed = sql`SELECT * FROM (${changedPairs}) AS p WHERE ${isSummedDay(asked)}`
  const fromHistory = asked.unsummed.map(
    (range) =>
      sql`UNION ALL SELECT device_id, semaphore_code, n FROM (${chatteringIn(range, asked.places)}) AS c`,
  )
  const { rows } = await sql<Chattering>`
    SELECT device_id AS "deviceId", semaphore_code AS "semaphoreCode", sum(n)::int AS n FROM (
      SELECT device_id, semaphore_code, n FROM report_chattering
      WHERE ${passing} AND ${isSummedDay(asked)}
        AND (day, device_id, semaphore_code) NOT IN (SELECT day, device_id, semaphore_code FROM (${changed}) AS p)
      UNION ALL
      SELECT device_id, semaphore_code, n FROM (${chatteringOf(changed)}) AS c WHERE ${passing}
      ${sql.join(fromHistory, sql` `)}
    ) AS c GROUP BY device_id, semaphore_code ORDER BY n DESC, device_id, semaphore_code`.execute(trx)
  return rows
}

/** Alarms that stand and began before the moment, by group; of regions those of `keys`. */
export async function countStanding(
  trx: Trx,
  places: PlaceFilter,
  before: Date,
  by: GroupedBy,
  keys: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ key: string; n: number }>`
    SELECT ${keyOf(by)} AS key, sum(h.n)::int AS n
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
