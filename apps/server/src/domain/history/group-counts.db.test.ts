import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import {
  insertDevice,
  insertModel,
  insertOperator,
  insertOrganization,
  insertRegion,
} from '../../../test/factories.ts'
import { startOfDay } from '../../platform/process/clock.ts'
import { inOneSnapshot } from './counted-page.ts'
import { foldDeltas, recountLevels } from './counters.ts'
import type { HistoryFilter } from './filter.ts'
import { countGroups, type GroupedBy, sumByLevel } from './group-counts.ts'
import { recountGroups } from './groups.ts'
import { historySources } from './sources.ts'

let database: TestDatabase
const today = startOfDay(new Date())
const range = { from: startOfDay(today, -40), to: startOfDay(today, -1) }
const codes = ['01110001', '01110002', '01120001', 'NOBODYS']

interface Row {
  at: Date
  operator: number
  model: number
  region: number
  device: number
  code: string
}
const rows: Row[] = []
let operators: number[]
let models: number[]
/** Two provinces, and two cities in the first one. */
let provinces: number[]
let cities: number[]
let levels: Map<string, string>

beforeAll(async () => {
  database = await createTestDatabase({ isSeeded: true })
  const { db } = database
  const organizationId = await insertOrganization(db)
  operators = [
    await insertOperator(db, { organizationId }),
    await insertOperator(db, { organizationId }),
    await insertOperator(db),
  ]
  models = [await insertModel(db), await insertModel(db)]
  const country = await insertRegion(db)
  provinces = [await insertRegion(db, { parentId: country }), await insertRegion(db, { parentId: country })]
  const [first = 0, second = 0] = provinces
  cities = [await insertRegion(db, { parentId: first }), await insertRegion(db, { parentId: first })]
  const regions = [...cities, second]
  const devices = await Promise.all(
    Array.from({ length: 9 }, async (_, n) => {
      const place = {
        operatorId: operators[n % 3] as number,
        modelId: models[n % 2] as number,
        regionId: regions[Math.floor(n / 2) % 3] as number,
      }
      return { ...place, id: (await insertDevice(db, place)).id }
    }),
  )
  for (let n = 0; n < 600; n += 1) {
    const device = devices[(n * 7) % devices.length] as (typeof devices)[number]
    rows.push({
      at: new Date(startOfDay(today, -((n * 13) % 45)).getTime() + ((n * 37) % 86_400) * 1000),
      operator: device.operatorId,
      model: device.modelId,
      region: device.regionId,
      device: device.id,
      code: codes[(n * n) % 3 === 0 ? n % 4 : n % 2] as string,
    })
  }
  await sql`
    WITH added AS (
      INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value, value)
      SELECT 7000 + n, u.at, d.id, d.operator_id, d.model_id, d.region_id, u.code, 1, 1
      FROM unnest(${rows.map(({ at }) => at)}::timestamptz[], ${rows.map(({ code }) => code)}::text[],
        ${rows.map(({ device }) => device)}::int[]) WITH ORDINALITY AS u (at, code, device_id, n)
      JOIN device d ON d.id = u.device_id
      RETURNING occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code
    )
    INSERT INTO history_delta SELECT 1, day, operator_id, model_id, region_id, semaphore_code, 1 FROM added`.execute(
    db,
  )
  await recountLevels(db)
  const known = await sql<{ code: string; level: number }>`
    SELECT code, alarm_level AS level FROM dictionary_entry WHERE type = 'ALARM' AND code = ANY(${codes}::text[])`.execute(
    db,
  )
  levels = new Map(known.rows.map(({ code, level }) => [code, String(level)]))
})
afterAll(() => database.close())

const above = (region: number) => [region, ...(cities.includes(region) ? [provinces[0] as number] : [])]

/** By looking at every row. */
function plainly(
  filter: HistoryFilter,
  by: GroupedBy | 'level',
  keys: readonly number[],
): Record<string, number> {
  const counts: Record<string, number> = {}
  const isIn = (ids: readonly number[] | null, id: number) => ids === null || ids.includes(id)
  for (const row of rows) {
    if (row.at < range.from || row.at >= range.to) continue
    if (!isIn(filter.operatorIds, row.operator) || !isIn(filter.modelIds, row.model)) continue
    if (!isIn(filter.regionIds, row.region) || !isIn(filter.deviceIds, row.device)) continue
    const key =
      by === 'level'
        ? levels.get(row.code)
        : by === 'region'
          ? above(row.region).find((id) => keys.includes(id))
          : row[by]
    if (key !== undefined) counts[String(key)] = (counts[String(key)] ?? 0) + 1
  }
  return counts
}

async function compareAll(): Promise<void> {
  const everything = {
    operatorIds: null,
    modelIds: null,
    regionIds: null,
    topRegionIds: null,
    deviceIds: null,
  }
  const [first = 0] = provinces
  const ofProvince = { regionIds: [first, ...cities], topRegionIds: [first] }
  const ofCity = { regionIds: cities.slice(0, 1), topRegionIds: cities.slice(0, 1) }
  const filters = [
    {},
    { operatorIds: operators.slice(0, 2) },
    { operatorIds: operators.slice(0, 1), modelIds: models.slice(0, 1) },
    ofProvince,
    { ...ofProvince, operatorIds: operators.slice(0, 2) },
    { ...ofCity, modelIds: models.slice(0, 1) },
    { ...ofCity, operatorIds: operators.slice(1), modelIds: models },
    { deviceIds: [rows[0]?.device as number] },
    { operatorIds: [] },
  ]
  for (const narrowed of filters) {
    const filter = { ...everything, codes: null, levels: null, range, ...narrowed }
    for (const by of ['operator', 'model', 'region', 'code', 'level', 'device'] as const) {
      const keys = by === 'region' ? (filter.topRegionIds ?? provinces) : []
      const counted = await inOneSnapshot<ReadonlyMap<string | number, number>>(database.db, async (trx) => {
        const query = { trx, source: historySources.alarm, filter }
        if (by === 'level') return await sumByLevel(trx, await countGroups(query, 'code'))
        return await countGroups(query, by, keys)
      })
      expect({ narrowed, by, counts: Object.fromEntries(counted) }).toEqual({
        narrowed,
        by,
        counts: plainly(filter, by, keys),
      })
    }
  }
}

test('the counts of groups are those of their rows, before a fold and after, whatever the filter', async () => {
  await compareAll()
  expect(await foldDeltas(database.db)).toBe(rows.length)
  await recountGroups(database.db, new AbortController().signal)
  await compareAll()
  await sql`INSERT INTO history_delta SELECT 1, ${range.from}::timestamptz::date, operator_id, model_id, region_id, '01110001', 1
    FROM device WHERE id = ${rows[0]?.device}`.execute(database.db)
  const [row] = rows as [Row]
  rows.push({ ...row, at: range.from, code: '01110001' })
  await sql`
    INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value, value)
    SELECT 6999, ${range.from}, id, operator_id, model_id, region_id, '01110001', 1, 1 FROM device WHERE id = ${row.device}`.execute(
    database.db,
  )
  await compareAll()
})
