import fc from 'fast-check'
import { type SqlBool, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import {
  insertDevice,
  insertModel,
  insertOperator,
  insertOrganization,
  insertRegion,
} from '../../../test/factories.ts'
import { times } from '../../../test/long.ts'
import { startOfDay, startOfMonth } from '../../platform/process/clock.ts'
import { type DataScope, everything } from '../access/data-scope.ts'
import { inOneSnapshot, type RowKey, readCountedKeys } from './counted-page.ts'
import { foldDeltas, recount, recountLevels, recountUncounted } from './counters.ts'
import { resolvePlaces, resolveSemaphores, type Wanted } from './filter.ts'
import { recountGroups } from './groups.ts'
import { deleteHistory, moveHistory, repairMoves } from './move.ts'
import { forgetRegion, moveRegions } from './region-moves.ts'
import { historySources, type Place, settledSources } from './sources.ts'

const codes = ['A1', 'A2', 'A3', 'A4', 'A5', 'A6']
const now = new Date()
const oldest = startOfMonth(now, -4)

describe('counted pages', () => {
  let database: TestDatabase
  const operators: number[] = []
  /** The first has 25 of 30 operators, five of which are in the one under it; the last has the other five. */
  const organizations: number[] = []
  const types: number[] = []
  const models: number[] = []
  const regions: { id: number; code: string }[] = []
  const devices: (Place & { id: number; code: string })[] = []
  let random = 1
  const draw = (n: number) => {
    random = (random * 48_271) % 2_147_483_647
    return random % n
  }

  beforeAll(async () => {
    database = await createTestDatabase()
    const { db } = database
    const top = await insertOrganization(db, { parentId: null })
    const large = await insertOrganization(db, { parentId: top })
    organizations.push(large, await insertOrganization(db, { parentId: large }))
    organizations.push(await insertOrganization(db, { parentId: top }))
    for (let i = 0; i < 30; i += 1) {
      const organizationId = organizations[i < 20 ? 0 : i < 25 ? 1 : 2] as number
      operators.push(await insertOperator(db, { organizationId }))
    }
    for (let i = 0; i < 4; i += 1) models.push(await insertModel(db))
    for (const model of models) {
      const { equip_type_id } = await db
        .selectFrom('equip_model')
        .select('equip_type_id')
        .where('id', '=', model)
        .executeTakeFirstOrThrow()
      types.push(equip_type_id)
    }
    const add = async (code: string, parentId: number | null) => {
      const id = await insertRegion(db, { code, parentId })
      regions.push({ id, code })
      return id
    }
    const root = await add('86', null)
    for (const province of ['10', '20', '30']) {
      const id = await add(`${province}0000`, root)
      for (const city of ['01', '02', '03']) await add(`${province}${city}00`, id)
    }
    for (let i = 0; i < 80; i += 1) {
      const place = {
        operatorId: operators[draw(draw(2) ? 30 : 5)] as number,
        modelId: models[draw(4)] as number,
        regionId: regions[draw(regions.length)]?.id as number,
      }
      const { id, code } = await insertDevice(db, place)
      devices.push({ id, code, ...place })
    }
    // The last code is unknown to the dictionary.
    for (const [index, code] of codes.slice(0, 5).entries()) {
      await sql`
        INSERT INTO dictionary_entry (type, code, name, alarm_level, analysis_type)
        VALUES ('ALARM', ${code}, ${code}, ${1 + (index % 3)}, 'BIT')`.execute(db)
    }
    await insertRows(4000, () => oldest.getTime() + draw(1000) * 0.001 * (now.getTime() - oldest.getTime()))
  })
  afterAll(() => database.close())

  let nextId = 1
  /** Inserts rows and their deltas, as ingest does. Many have the same time, so that ids decide the order. */
  async function insertRows(count: number, atMs: () => number) {
    const rows = Array.from({ length: count }, () => {
      const device = devices[draw(devices.length)] as (typeof devices)[number]
      nextId += 1 + draw(3)
      const code = codes[draw(draw(2) ? 6 : 2)] as string
      const at = new Date(Math.floor(atMs() / 60_000) * 60_000)
      return { ...device, code, at, row: nextId }
    })
    await sql`
      WITH added AS (
        INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value, value, recovered_at)
        SELECT *, 1, 1, now() FROM unnest(
          ${rows.map(({ row }) => row)}::bigint[], ${rows.map(({ at }) => at)}::timestamptz[],
          ${rows.map(({ id }) => id)}::int[], ${rows.map(({ operatorId }) => operatorId)}::int[],
          ${rows.map(({ modelId }) => modelId)}::int[], ${rows.map(({ regionId }) => regionId)}::int[],
          ${rows.map(({ code }) => code)}::text[])
        RETURNING occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code
      )
      INSERT INTO history_delta SELECT 1, day, operator_id, model_id, region_id, semaphore_code, count(*)
      FROM added GROUP BY 2, 3, 4, 5, 6
    `.execute(database.db)
  }

  /** Settles one untouched row in five in some state, as the job of the alarms does. */
  async function settleRows() {
    await sql`
      WITH picked AS (
        SELECT h.*, (ARRAY['closed', 'inProgress', 'recoveredUnacknowledged'])[1 + h.id % 3] AS state
        FROM alarm_history h
        WHERE (h.id / 3) % 5 = ${draw(5)} AND NOT EXISTS (SELECT FROM alarm_handling p WHERE p.episode_id = h.id)
      ), handled AS (
        INSERT INTO alarm_handling (episode_id, occurred_at, device_id, version, settled)
        SELECT id, occurred_at, device_id, 1, state FROM picked
      ), written AS (
        INSERT INTO alarm_settled (state, occurred_at, id, device_id, operator_id, model_id, region_id, semaphore_code)
        SELECT state, occurred_at, id, device_id, operator_id, model_id, region_id, semaphore_code FROM picked
      )
      INSERT INTO history_delta
      SELECT settled_source(state), occurred_at::date, operator_id, model_id, region_id, semaphore_code, count(*)
      FROM picked GROUP BY 1, 2, 3, 4, 5, 6`.execute(database.db)
  }

  /** What people change is settled no more: a tenth of it. */
  const touchRows = () =>
    sql`UPDATE alarm_handling SET version = version + 1 WHERE episode_id % 10 = ${draw(10)}`.execute(
      database.db,
    )

  const some = <T>(list: T[], min: number, max: number) =>
    fc.uniqueArray(fc.constantFrom(...list), { minLength: min, maxLength: max })
  const ask = () =>
    fc.record({
      scope: fc.record({
        operatorIds: fc.oneof(
          fc.constant(null),
          some(operators, 5, 5),
          some(operators, 25, 25),
          some(operators, 0, 30),
          fc
            .constantFrom([0, 25], [20, 25], [25, 30], [20, 30], [1, 30])
            .map(([from, to]) => operators.slice(from, to)),
        ),
        equipTypeIds: fc.oneof(fc.constant(null), fc.constant(null), some(types, 0, 3)),
        grantedRegions: fc.oneof(fc.constant(null), fc.constant(null), some(regions, 0, 3)),
      }),
      wanted: fc.record(
        {
          operatorId: fc.constantFrom(...operators.map(String)),
          equipTypeId: fc.constantFrom(...types.map(String)),
          equipModelId: fc.constantFrom(...models.map(String)),
          regionCode: fc.constantFrom(...regions.map(({ code }) => code), 'none'),
          code: some(
            devices.map(({ code }) => code),
            1,
            5,
          ),
        },
        { requiredKeys: [] },
      ),
      codes: fc.oneof(fc.constant(null), some(codes, 0, 4)),
      levels: fc.oneof(fc.constant(null), some([1, 2, 3, 4], 1, 3)),
      range: fc
        .tuple(
          fc.integer({ min: 0, max: 1000 }),
          fc.integer({ min: 0, max: 1000 }),
          fc.boolean(),
          fc.boolean(),
        )
        .map(([a, b, wholeFrom, wholeTo]) => {
          const at = (share: number) =>
            new Date(oldest.getTime() + share * 0.001 * (now.getTime() - oldest.getTime()))
          const [from, to] = a < b ? [at(a), at(b)] : [at(b), at(a)]
          return { from: wholeFrom ? startOfDay(from) : from, to: wholeTo ? startOfDay(to, 1) : to }
        }),
      /** The position of the page, relative to the total. */
      place: fc.double({ min: 0, max: 1.1, noNaN: true }),
      limit: fc.constantFrom(1, 10, 100, 500),
      without: fc.boolean(),
      /** Of what is settled: all the same; none of these states; these alone, perhaps beside some others. */
      settled: fc.record({
        how: fc.constantFrom('all', 'less', 'only', 'beside'),
        states: some([...settledSources], 1, 3),
      }),
      isOldestFirst: fc.boolean(),
    })

  async function agreesWithPlainSql(
    question: ReturnType<typeof ask> extends fc.Arbitrary<infer Q> ? Q : never,
  ) {
    const { db } = database
    const regionIds = question.scope.grantedRegions
      ? (
          await sql<{ id: number }>`
            SELECT DISTINCT r.id FROM region g JOIN region r ON r.path LIKE g.path || '%'
            WHERE g.id = ANY(${question.scope.grantedRegions.map(({ id }) => id)}::int[])`.execute(db)
        ).rows.map(({ id }) => id)
      : null
    const scope: DataScope = { ...question.scope, regionIds }
    const { wanted, range, limit, levels, isOldestFirst } = question
    const semaphores = await resolveSemaphores(db, 'ALARM', {
      semaphoreCode: question.codes ?? undefined,
      alarmLevel: levels ?? undefined,
    })
    const { codes } = question
    const passing = sql`
      SELECT h.occurred_at, h.id FROM alarm_history h
      JOIN device d ON d.id = h.device_id
      JOIN equip_model m ON m.id = d.model_id
      JOIN region r ON r.id = d.region_id
      WHERE h.occurred_at >= ${range.from} AND h.occurred_at < ${range.to}
        AND (${scope.operatorIds}::int[] IS NULL OR d.operator_id = ANY(${scope.operatorIds}::int[]))
        AND (${scope.equipTypeIds}::int[] IS NULL OR m.equip_type_id = ANY(${scope.equipTypeIds}::int[]))
        AND (${regionIds}::int[] IS NULL OR d.region_id = ANY(${regionIds}::int[]))
        AND (${wanted.operatorId ?? null}::int IS NULL OR d.operator_id = ${wanted.operatorId ?? null}::int)
        AND (${wanted.equipTypeId ?? null}::int IS NULL OR m.equip_type_id = ${wanted.equipTypeId ?? null}::int)
        AND (${wanted.equipModelId ?? null}::int IS NULL OR m.id = ${wanted.equipModelId ?? null}::int)
        AND (${wanted.regionCode ?? null}::text IS NULL OR r.path LIKE (SELECT path FROM region WHERE code = ${wanted.regionCode ?? null}) || '%')
        AND (${wanted.code ?? null}::text[] IS NULL OR d.code = ANY(${wanted.code ?? null}::text[]))
        AND (${codes}::text[] IS NULL OR h.semaphore_code = ANY(${codes}::text[]))
        AND (${levels}::int[] IS NULL OR h.semaphore_code IN (
          SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND alarm_level = ANY(${levels}::int[])))`
    const { how, states } = question.settled
    const isSettled = sql`EXISTS (
      SELECT FROM alarm_handling p WHERE p.episode_id = h.id AND p.settled = ANY(${states.map(({ state }) => state)}::text[]))`
    const ofSources = {
      all: passing,
      less: sql`${passing} AND NOT ${isSettled}`,
      only: sql`${passing} AND ${isSettled}`,
      beside: sql`${passing} AND ${isSettled}`,
    }[how]
    const others = sql`${passing} AND NOT ${isSettled} AND h.id % 11 = 0`
    const kept = sql`
      (${question.without ? sql`${ofSources} AND h.id % 7 <> 0` : ofSources})
      ${how === 'beside' ? sql`UNION ALL (${others})` : sql``}`
    const exclusion = question.without ? () => sql`${ofSources} AND h.id % 7 = 0` : undefined
    const selected = {
      all: {
        sources: [historySources.alarm],
        // What is left out, as a condition: pages that walk past few rows have it in place of the relation.
        isListed: question.without ? sql<SqlBool>`h.id % 7 <> 0` : undefined,
      },
      less: { sources: [historySources.alarm], less: states },
      only: { sources: states },
      beside: {
        sources: states,
        additions: [
          (within: { from: Date; to: Date }) => sql`
            ${others} AND h.occurred_at >= ${within.from} AND h.occurred_at < ${within.to}`,
        ],
      },
    }[how]

    const total = Number(
      (await sql<{ n: string }>`SELECT count(*) AS n FROM (${kept}) AS x`.execute(db)).rows[0]?.n,
    )
    const offset = Math.floor(question.place * total)
    const { rows } = await sql<RowKey>`
      SELECT occurred_at::text AS "occurredAt", id FROM (${kept}) AS x
      ORDER BY ${isOldestFirst ? sql`occurred_at, id` : sql`occurred_at DESC, id DESC`}
      OFFSET ${offset} LIMIT ${limit}`.execute(db)

    const places = await resolvePlaces(db, scope, wanted as Wanted)
    const answer = await inOneSnapshot(db, (trx) =>
      readCountedKeys(
        { trx, ...selected, filter: { ...places, ...semaphores, range }, exclusion },
        { offset, limit, isOldestFirst },
      ),
    )
    expect(answer).toEqual({ total, keys: isOldestFirst ? rows.reverse() : rows })
  }

  /** In a short run a third of what the test asks for: each test asks anew. */
  const check = (runs: number) =>
    fc.assert(fc.asyncProperty(ask(), agreesWithPlainSql), {
      numRuns: times(Math.ceil(runs / 3), runs),
      seed: 20_261_120,
    })

  test('equal plain SQL, with all deltas unfolded', () => check(60))

  test('equal it with deltas folded', async () => {
    await insertRows(500, () => now.getTime() - draw(1000) * 86_400)
    await settleRows()
    await check(40)
    expect(await recountLevels(database.db)).toBe(5)
    expect(await recountGroups(database.db)).toBe(3)
    expect(await foldDeltas(database.db)).toBeGreaterThan(0)
    await check(60)
  })

  test('equal it with late rows in past months, and new ones unfolded', async () => {
    await insertRows(300, () => oldest.getTime() + draw(1000) * 0.001 * (now.getTime() - oldest.getTime()))
    await settleRows()
    await touchRows()
    await check(40)
    await foldDeltas(database.db)
    await insertRows(300, () => oldest.getTime() + draw(1000) * 0.001 * (now.getTime() - oldest.getTime()))
    await check(80)
  })

  test('equal it after devices were moved or deleted, folded or not', async () => {
    const { db } = database
    for (let i = 0; i < 20; i += 1) {
      const device = devices[draw(devices.length)] as (typeof devices)[number]
      device.operatorId = operators[draw(30)] as number
      device.regionId = regions[draw(regions.length)]?.id as number
      await db.transaction().execute(async (trx) => {
        await trx
          .updateTable('device')
          .set({ operator_id: device.operatorId, region_id: device.regionId })
          .where('id', '=', device.id)
          .execute()
        await moveHistory(trx, device.id, device)
      })
    }
    await check(40)
    const gone = devices.splice(3, 1)[0] as (typeof devices)[number]
    await db.transaction().execute(async (trx) => {
      await trx.deleteFrom('device').where('id', '=', gone.id).execute()
      await deleteHistory(trx, gone.id)
    })
    await foldDeltas(db)
    await check(60)
  })

  test('equal it after the dictionary changed levels of alarms, before and after the recount', async () => {
    const { db } = database
    await sql`UPDATE dictionary_entry SET alarm_level = 4 WHERE code IN ('A1', 'A3')`.execute(db)
    await sql`DELETE FROM dictionary_entry WHERE code = 'A5'`.execute(db)
    await sql`
      INSERT INTO dictionary_entry (type, code, name, alarm_level, analysis_type)
      VALUES ('ALARM', 'A6', 'A6', 1, 'BIT')`.execute(db)
    await insertRows(300, () => oldest.getTime() + draw(1000) * 0.001 * (now.getTime() - oldest.getTime()))
    await touchRows()
    await settleRows()
    await check(40)
    expect(await recountLevels(db)).toBe(3)
    expect(await recountLevels(db)).toBe(0)
    await check(40)
    await foldDeltas(db)
    await check(40)
  })

  test('equal it after operators came to other organizations, before and after the recount', async () => {
    const { db } = database
    const [large, small, other] = organizations as [number, number, number]
    const put = async (operatorId: number, organizationId: number) => {
      await sql`UPDATE operator SET organization_id = ${organizationId} WHERE id = ${operatorId}`.execute(db)
    }
    await insertRows(300, () => oldest.getTime() + draw(1000) * 0.001 * (now.getTime() - oldest.getTime()))
    await put(operators[0] as number, small)
    await put(operators[1] as number, other)
    await put(operators[25] as number, large)
    await check(40)
    expect(await recountGroups(db)).toBe(3)
    expect(await recountGroups(db)).toBe(0)
    await check(40)
    await foldDeltas(db)
    await check(40)
    // The small one leaves the large one, and a new operator is in none of them.
    await sql`UPDATE organization SET parent_id = ${other} WHERE id = ${small}`.execute(db)
    const alone = await insertOperator(db, { organizationId: 1 })
    expect(await recountGroups(db)).toBeGreaterThan(0)
    await check(40)
    await sql`UPDATE organization SET parent_id = ${large} WHERE id = ${small}`.execute(db)
    await sql`DELETE FROM operator WHERE id = ${alone}`.execute(db)
    await put(operators[0] as number, large)
    await put(operators[1] as number, large)
    await put(operators[25] as number, other)
    await check(20)
    expect(await recountGroups(db)).toBeGreaterThan(0)
    await check(40)
  })

  test('equal it after regions moved in the tree, folded or not', async () => {
    const { db } = database
    const move = async (code: string, parentCode: string) => {
      await db.transaction().execute(async (trx) => {
        const { rows } = await sql<{ id: number; path: string; parent: string }>`
          SELECT r.id, g.path, p.path AS parent FROM region r
          CROSS JOIN (SELECT path FROM region WHERE code = ${code}) g
          CROSS JOIN (SELECT path FROM region WHERE code = ${parentCode}) p
          WHERE r.path LIKE g.path || '%'`.execute(trx)
        const [top] = rows
        const above = top?.path.replace(/[^/]+\/$/, '')
        await moveRegions(trx, {
          regionIds: rows.map(({ id }) => id),
          write: async () => {
            await sql`
              UPDATE region SET path = ${top?.parent} || substr(path, length(${above}) + 1)
              WHERE path LIKE ${`${top?.path}%`}`.execute(trx)
            await sql`
              UPDATE region SET parent_id = (SELECT id FROM region WHERE code = ${parentCode})
              WHERE code = ${code}`.execute(trx)
          },
        })
      })
    }
    await insertRows(300, () => oldest.getTime() + draw(1000) * 0.001 * (now.getTime() - oldest.getTime()))
    await move('100100', '200000')
    await check(40)
    await foldDeltas(db)
    await check(40)
    // With its subtree, and deeper than provinces are.
    await move('300000', '100000')
    await check(40)
    await move('300000', '86')
    await move('100100', '100000')
    await foldDeltas(db)
    await check(60)
  })

  test('equal it after a region was deleted whose last deltas were not folded', async () => {
    const { db } = database
    const [gone] = regions.splice(-1) as [{ id: number; code: string }]
    for (const device of devices.filter(({ regionId }) => regionId === gone.id)) {
      device.regionId = regions[draw(regions.length)]?.id as number
      await db.transaction().execute(async (trx) => {
        await sql`UPDATE device SET region_id = ${device.regionId} WHERE id = ${device.id}`.execute(trx)
        await moveHistory(trx, device.id, device)
      })
    }
    await db.transaction().execute(async (trx) => {
      await forgetRegion(trx, gone.id)
      await sql`DELETE FROM region WHERE id = ${gone.id}`.execute(trx)
    })
    await check(40)
    await foldDeltas(db)
    await check(40)
  })

  test('equal it after a complete recount', async () => {
    await recount(database.db)
    await check(40)
  })

  test('equal it after a release has counted that does not know what is settled, before and after the recount', async () => {
    const { db } = database
    await settleRows()
    await foldDeltas(db)
    expect(await recountUncounted(db)).toBe(0)
    // It folds without levels, and leaves cells where they were that it knows nothing of.
    await sql`UPDATE history_count SET days = array_fill(9, ARRAY[31]) WHERE source >= 3`.execute(db)
    await check(40)
    await touchRows()
    expect(await recountUncounted(db)).toBe(3)
    expect(await recountUncounted(db)).toBe(0)
    await check(40)
    await foldDeltas(db)
    await check(40)
  })

  test('a report stored concurrently with a move is repaired later', async () => {
    const { db } = database
    const device = devices[0] as (typeof devices)[number]
    const before = device.operatorId
    device.operatorId = operators.find((id) => id !== before) as number
    await db.transaction().execute(async (trx) => {
      await sql`UPDATE device SET operator_id = ${device.operatorId} WHERE id = ${device.id}`.execute(trx)
      await moveHistory(trx, device.id, device)
    })
    await sql`
      WITH stale AS (INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value, value)
        VALUES (900000, now(), ${device.id}, ${before}, ${device.modelId}, ${device.regionId}, 'A1', 1, 1))
      INSERT INTO history_delta VALUES (1, current_date, ${before}, ${device.modelId}, ${device.regionId}, 'A1', 1)`.execute(
      db,
    )
    expect(await repairMoves(db, { olderThanMs: 0 })).toBeGreaterThan(0)
    await check(20)
    expect(await repairMoves(db, { olderThanMs: 0 })).toBe(0)
  })

  test('an empty scope gives an empty page', async () => {
    const { db } = database
    const places = await resolvePlaces(db, { ...everything, operatorIds: [] }, {})
    const filter = { ...places, codes: null, levels: null, range: { from: oldest, to: now } }
    expect(
      await inOneSnapshot(db, (trx) =>
        readCountedKeys({ trx, sources: [historySources.alarm], filter }, { offset: 0, limit: 10 }),
      ),
    ).toEqual({ total: 0, keys: [] })
  })
})
