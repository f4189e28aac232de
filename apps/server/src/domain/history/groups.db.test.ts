import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { insertOperator, insertOrganization, insertRegion } from '../../../test/factories.ts'
import { cellsFor } from './cells.ts'
import { foldDeltas } from './counters.ts'
import { recountGroups } from './groups.ts'

describe('operators that are counted together', () => {
  let database: TestDatabase
  let region: number
  let top: number
  let large: number
  let small: number
  /** Three of the large organization, two of the small one under it, one of neither. */
  const operators: number[] = []

  beforeEach(async () => {
    database = await createTestDatabase()
    const { db } = database
    region = await insertRegion(db, { code: '86', parentId: null })
    top = await insertOrganization(db, { parentId: null })
    large = await insertOrganization(db, { parentId: top })
    small = await insertOrganization(db, { parentId: large })
    operators.length = 0
    for (const organizationId of [large, large, large, small, small, top]) {
      operators.push(await insertOperator(db, { organizationId }))
    }
  })
  afterEach(() => database.close())

  const one = (index: number) => operators[index] as number
  const groups = async () =>
    (
      await sql<{ id: number; n: number }>`
        SELECT organization_id AS id, count(*)::int AS n FROM history_group GROUP BY 1 ORDER BY 1`.execute(
        database.db,
      )
    ).rows
  const put = (operatorId: number, organizationId: number) =>
    sql`UPDATE operator SET organization_id = ${organizationId} WHERE id = ${operatorId}`.execute(database.db)
  const report = (operatorId: number, code: string, n: number) =>
    sql`INSERT INTO history_delta VALUES (1, current_date, ${operatorId}, 1, ${region}, ${code}, ${n})`.execute(
      database.db,
    )
  /** The cells of organizations that are not what those of their operators come to. */
  const wrong = async () =>
    (
      await sql`
        SELECT operator_id, model_id, region_id, semaphore_code FROM (
          SELECT operator_id, model_id, region_id, semaphore_code, n FROM history_count, unnest(days) AS n
          WHERE operator_id < 0
          UNION ALL
          SELECT -g.organization_id, c.model_id, c.region_id, c.semaphore_code, -n
          FROM history_group g JOIN history_count c USING (operator_id), unnest(c.days) AS n
        ) AS cell GROUP BY 1, 2, 3, 4 HAVING sum(n) <> 0`.execute(database.db)
    ).rows
  const countedBy = async (operatorIds: readonly number[]) => {
    const from = new Date()
    const keys = await cellsFor(database.db, {
      operatorIds,
      modelIds: null,
      regionIds: null,
      topRegionIds: null,
      deviceIds: null,
      codes: ['A', 'B'],
      levels: null,
      range: { from, to: from },
    })
    return keys?.operatorIds
  }

  test('are those of an organization and of the ones under it, but not one alone and not all', async () => {
    const { db } = database
    expect(await recountGroups(db)).toBe(2)
    expect(await groups()).toEqual([
      { id: large, n: 5 },
      { id: small, n: 2 },
    ])
    await put(one(3), large)
    await recountGroups(db)
    expect(await groups()).toEqual([{ id: large, n: 5 }])
    // The large organization has the operators of the small one, and no others.
    for (const index of [0, 1, 2, 3]) await put(one(index), small)
    await recountGroups(db)
    expect(await groups()).toEqual([{ id: small, n: 5 }])
    await put(one(5), small)
    await recountGroups(db)
    expect(await groups()).toEqual([])
    expect((await sql`SELECT FROM history_count WHERE operator_id < 0`.execute(db)).rows).toEqual([])
  })

  test('stand for lists that have all of them', async () => {
    await recountGroups(database.db)
    expect(await countedBy(operators.slice(0, 5))).toEqual([-large])
    expect(await countedBy(operators.slice(3))).toEqual([-small, one(5)])
    expect(await countedBy(operators.slice(0, 4))).toEqual(operators.slice(0, 4))
    expect(await countedBy([one(4)])).toEqual([one(4)])
    // One has come that the counts of the organization do not have yet.
    await put(one(5), small)
    expect(await countedBy(operators)).toEqual([-large, one(5)])
    // One has left that they still have.
    await put(one(4), top)
    expect(await countedBy(operators.slice(0, 4))).toEqual(operators.slice(0, 4))
  })

  test('are counted right whatever comes between: folds, recounts and moves, all at once', async () => {
    const { db } = database
    for (let round = 0; round < 12; round += 1) {
      for (const [index, id] of operators.entries()) await report(id, round % 2 ? 'A' : 'B', 1 + index)
      await Promise.all([
        foldDeltas(db),
        put(one(round % 5), [small, large, top][round % 3] as number),
        recountGroups(db),
        report(one((round + 1) % 6), 'A', -1).then(() => foldDeltas(db)),
      ])
      expect(await wrong()).toEqual([])
    }
    await recountGroups(db)
    expect(await wrong()).toEqual([])
    expect(
      (await sql`SELECT FROM history_count WHERE operator_id < 0`.execute(db)).rows.length,
    ).toBeGreaterThan(0)
  })
})
