// SQL of stock as users see it. Conditions are on the devices' rows `d` in device_listing.
import type { StockGroup } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { countRows, type Page } from '../../platform/database/paging.ts'
import { rowLimit } from '../../platform/files/sheets/spreadsheet.ts'

const usable = sql`k.full_count + k.charging_count + k.idle_count + k.empty_count`
const of = sql`FROM device_listing d JOIN device_stock k ON k.device_id = d.id`

/** The sums of a group; `low`: a device counts that has fewer full batteries. */
const sums = (low: number) => sql`
  count(*)::int AS "deviceCount",
  (count(*) FILTER (WHERE k.full_count < ${low}::int))::int AS "lowCount",
  coalesce(sum(k.full_count), 0)::int AS "full", coalesce(sum(k.charging_count), 0)::int AS charging,
  coalesce(sum(k.idle_count), 0)::int AS idle, coalesce(sum(k.empty_count), 0)::int AS empty,
  coalesce(sum(k.faulty_count), 0)::int AS faulty, coalesce(sum(k.disabled_count), 0)::int AS disabled,
  coalesce(sum(${usable}), 0)::int AS usable`

export interface StockCounts {
  deviceCount: number
  lowCount: number
  full: number
  charging: number
  idle: number
  empty: number
  faulty: number
  disabled: number
  usable: number
}

export interface StockRecord extends StockCounts {
  id: string
  code: string | null
  name: string | null
  isOnline: 0 | 1 | null
  operatorName: string | null
  regionName: string | null
  changeTime: Date | null
}

/** Those with the fewest full batteries first, along the index of that number. */
async function listDevices(
  db: Db,
  matching: RawBuilder<SqlBool>,
  low: number,
  { limit, offset }: Page,
): Promise<StockRecord[]> {
  const { rows } = await sql<StockRecord>`
    WITH page AS MATERIALIZED (
      SELECT k.* FROM device_stock k JOIN device_listing d ON d.id = k.device_id
      WHERE ${matching} ORDER BY k.full_count, k.device_id LIMIT ${limit} OFFSET ${offset}
    )
    SELECT d.id::text AS id, d.code, d.name, coalesce(s.is_online, false)::int AS "isOnline",
      p.name AS "operatorName", r.full_name AS "regionName", k.changed_at AS "changeTime",
      1 AS "deviceCount", (k.full_count < ${low}::int)::int AS "lowCount",
      k.full_count AS "full", k.charging_count AS charging, k.idle_count AS idle, k.empty_count AS empty,
      k.faulty_count AS faulty, k.disabled_count AS disabled, ${usable} AS usable
    FROM page k
    JOIN device d ON d.id = k.device_id
    JOIN operator p ON p.id = d.operator_id
    JOIN region r ON r.id = d.region_id
    LEFT JOIN device_state s ON s.device_id = d.id
    ORDER BY k.full_count, k.device_id`.execute(db)
  return rows
}

const groups = {
  operator: {
    key: sql`d.operator_id`,
    id: sql`g.key::text`,
    name: sql`(SELECT o.name FROM operator o WHERE o.id = g.key)`,
  },
  region: {
    key: sql`d.region_id`,
    id: sql`(SELECT r.code FROM region r WHERE r.id = g.key)`,
    name: sql`(SELECT r.full_name FROM region r WHERE r.id = g.key)`,
  },
}

/** A page, and the number of rows in all. */
export async function listStock(
  db: Db,
  matching: RawBuilder<SqlBool>,
  { groupBy, low, page }: { groupBy: StockGroup; low: number; page: Page },
): Promise<{ rows: StockRecord[]; total: number }> {
  if (groupBy === 'device') {
    return {
      rows: await listDevices(db, matching, low, page),
      total: await countStock(db, matching, groupBy),
    }
  }
  const { key, id, name } = groups[groupBy]
  const { rows } = await sql<StockRecord & { total: number }>`
    WITH g AS MATERIALIZED (SELECT ${key} AS key, ${sums(low)} ${of} WHERE ${matching} GROUP BY 1)
    SELECT ${id} AS id, NULL AS code, ${name} AS name, NULL::int AS "isOnline", NULL AS "operatorName",
      NULL AS "regionName", NULL::timestamptz AS "changeTime", g.*, (SELECT count(*)::int FROM g) AS total
    FROM g ORDER BY g."lowCount" DESC, g."full", g.key LIMIT ${page.limit} OFFSET ${page.offset}`.execute(db)
  const total = rows[0]?.total ?? (page.offset > 0 ? await countGroups(db, matching, key) : 0)
  return { rows, total }
}

/** How many rows there are in all. */
export const countStock = (db: Db, matching: RawBuilder<SqlBool>, groupBy: StockGroup): Promise<number> =>
  groupBy === 'device'
    ? countRows(db, sql`${of} WHERE ${matching}`)
    : countGroups(db, matching, groups[groupBy].key)

/** All of them in the list's order: groups at once, devices some at a time, each batch behind the one before. */
export async function* walkStock(
  db: Db,
  matching: RawBuilder<SqlBool>,
  { groupBy, low }: { groupBy: StockGroup; low: number },
  batchSize: number,
): AsyncGenerator<StockRecord[]> {
  if (groupBy !== 'device') {
    const page = { limit: rowLimit, offset: 0 }
    yield (await listStock(db, matching, { groupBy, low, page })).rows
    return
  }
  for (let last: StockRecord | undefined; ; ) {
    const rest = last
      ? sql<SqlBool>`${matching} AND (k.full_count, k.device_id) > (${last.full}, ${last.id}::int)`
      : matching
    const rows = await listDevices(db, rest, low, { limit: batchSize, offset: 0 })
    if (rows.length > 0) yield rows
    if (rows.length < batchSize) return
    last = rows.at(-1)
  }
}

/** For a page behind the last. */
const countGroups = (db: Db, matching: RawBuilder<SqlBool>, key: RawBuilder<unknown>): Promise<number> =>
  countRows(db, sql`FROM (SELECT DISTINCT ${key} ${of} WHERE ${matching}) AS g`)

export async function sumStock(db: Db, matching: RawBuilder<SqlBool>, low: number): Promise<StockCounts> {
  const { rows } = await sql<StockCounts>`SELECT ${sums(low)} ${of} WHERE ${matching}`.execute(db)
  return rows[0] as StockCounts
}
