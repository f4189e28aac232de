import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import {
  insertModel,
  insertOperator,
  insertOrganization,
  insertRegion,
  insertUser,
} from '../../../test/factories.ts'
import { times } from '../../../test/long.ts'
import { organizations } from '../../features/organizations/index.ts'
import { plantSeeds } from '../../platform/database/seeds.ts'
import { type DataScope, scopeOf } from './data-scope.ts'
import { type Holdings, holdsAllOf, reachesAllOf, readHoldings } from './holdings.ts'

const plain: Holdings = {
  userId: 1,
  organizationId: 1,
  isSystem: false,
  makerId: null,
  functionCodes: [],
  authorities: { O: [], ET: [], R: [] },
  regionPaths: [],
}

test('a SYSTEM user holds everything, and nobody else holds what SYSTEM does', () => {
  const system = { ...plain, isSystem: true }
  const rich = { ...plain, functionCodes: ['a:b', 'c:d'] }
  expect(holdsAllOf(system, rich)).toBe(true)
  expect(holdsAllOf(system, system)).toBe(true)
  expect(holdsAllOf(rich, system)).toBe(false)
  expect(holdsAllOf(rich, { ...plain, functionCodes: ['c:d'] })).toBe(true)
  expect(holdsAllOf(rich, { ...plain, functionCodes: ['c:d', 'e:f'] })).toBe(false)
})

test('no region entry means everywhere, and so does the region that stands for all', () => {
  const everywhere = { ...plain, authorities: { O: [], ET: [], R: ['all'] }, regionPaths: ['/'] }
  const east = { ...plain, authorities: { O: [], ET: [], R: ['E'] }, regionPaths: ['/1/2/'] }
  const eastern = { ...plain, authorities: { O: [], ET: [], R: ['E1'] }, regionPaths: ['/1/2/3/'] }
  const like = { ...plain, authorities: { O: [], ET: [], R: ['E2'] }, regionPaths: ['/1/23/'] }
  const gone = { ...plain, authorities: { O: [], ET: [], R: ['X'] }, regionPaths: [] }
  expect(reachesAllOf(everywhere, plain)).toBe(true)
  expect(reachesAllOf(plain, everywhere)).toBe(true)
  expect(reachesAllOf(east, plain)).toBe(false)
  expect(reachesAllOf(east, eastern)).toBe(true)
  expect(reachesAllOf(eastern, east)).toBe(false)
  expect(reachesAllOf(east, like)).toBe(false)
  // A region that no longer exists matches nothing.
  expect(reachesAllOf(east, gone)).toBe(true)
  expect(reachesAllOf(gone, east)).toBe(false)
})

const world = {
  organizations: [1],
  operators: [] as number[],
  types: [] as number[],
  regions: [] as string[],
}
const users: number[] = []

const database = await databaseOfTests()
const { db } = database
await plantSeeds(db, organizations.seeds)
for (let n = 0; n < 6; n += 1) {
  const parentId = world.organizations[Math.floor(n / 2)] as number
  world.organizations.push(await insertOrganization(db, { parentId }))
}
for (const organizationId of world.organizations) {
  world.operators.push(await insertOperator(db, { organizationId }))
}
for (let n = 0; n < 3; n += 1) {
  const { rows } = await sql<{ type: number }>`
    SELECT equip_type_id AS type FROM equip_model WHERE id = ${await insertModel(db)}`.execute(db)
  world.types.push(rows[0]?.type as number)
}
const ids: (number | null)[] = [null]
for (let n = 0; n < 9; n += 1) {
  ids.push(await insertRegion(db, { code: `r${n}`, parentId: ids[Math.floor(n / 2)] ?? null }))
  world.regions.push(`r${n}`)
}
users.push((await insertUser(db)).id, (await insertUser(db)).id)

/** Whether every device that matches the inner scope, now or later, matches the outer one. */
function liesWithin(inner: DataScope, outer: DataScope): boolean {
  const parts = [
    [inner.operatorIds, outer.operatorIds],
    [inner.equipTypeIds, outer.equipTypeIds],
    [inner.regionIds, outer.regionIds],
  ] as const
  if (parts.some(([own]) => own?.length === 0)) return true
  return parts.every(([own, other]) => other === null || !!own?.every((id) => other.includes(id)))
}

test('a user who holds everything that another one holds sees every device that the other sees', async () => {
  const { db } = database
  // Often empty, because otherwise hardly any user would hold everything of another.
  const someOf = <T>(values: readonly T[], maxLength: number) =>
    fc.oneof(
      { weight: 2, arbitrary: fc.constant<T[]>([]) },
      { weight: 1, arbitrary: fc.uniqueArray(fc.constantFrom(...values), { maxLength }) },
    )
  const entries = fc.record({
    organization: fc.nat({ max: 6 }),
    O: someOf([0, 1, 2, 3, 4, 5, 6], 4),
    ET: someOf([0, 1, 2], 2),
    R: someOf([0, 1, 2, 3, 4, 5, 6, 7, 8], 3),
  })
  let held = 0
  await fc.assert(
    fc.asyncProperty(entries, entries, async (...both) => {
      for (const [at, { organization, O, ET, R }] of both.entries()) {
        const userId = users[at] as number
        await sql`UPDATE app_user SET organization_id = ${world.organizations[organization]} WHERE id = ${userId}`.execute(
          db,
        )
        await sql`DELETE FROM user_authority WHERE user_id = ${userId}`.execute(db)
        const rows = [
          ...O.map((n) => ['O', String(world.operators[n])]),
          ...ET.map((n) => ['ET', String(world.types[n])]),
          ...R.map((n) => ['R', world.regions[n]]),
        ]
        await sql`
          INSERT INTO user_authority
          SELECT ${userId}, type, value FROM unnest(
            ${rows.map(([type]) => type)}::text[], ${rows.map(([, value]) => value)}::text[]) AS e(type, value)
        `.execute(db)
      }
      const holdings = await readHoldings(db, users)
      const [one, other] = users.map((id) => holdings.get(id)) as [Holdings, Holdings]
      const { rows } = await sql<{ isInside: boolean }>`
        WITH RECURSIVE own AS (
          SELECT id FROM organization WHERE id = ${one.organizationId}
          UNION SELECT o.id FROM organization o JOIN own ON o.parent_id = own.id
        ) SELECT ${other.organizationId}::int IN (SELECT id FROM own) AS "isInside"`.execute(db)
      if (!rows[0]?.isInside || !holdsAllOf(one, other)) return
      held += 1
      expect(liesWithin(await scopeOf(db, other), await scopeOf(db, one))).toBe(true)
    }),
    { numRuns: times(250, 600), seed: 20_262 },
  )
  // The property is meaningful only if enough pairs hold.
  expect(held).toBeGreaterThan(times(20, 50))
})
