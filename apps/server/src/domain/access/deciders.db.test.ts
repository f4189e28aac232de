import { describeStop } from '@voltkeep/contract'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import {
  insertOperator,
  insertOrganization,
  insertRegion,
  insertRole,
  insertUser,
} from '../../../test/factories.ts'
import { organizations } from '../../features/organizations/index.ts'
import { plantSeeds } from '../../platform/database/seeds.ts'
import { type DataScope, everything, intersectScopes } from './data-scope.ts'
import { listKeptBack, standingScope, standingScopes } from './deciders.ts'

const database = await databaseOfTests()
await plantSeeds(database.db, organizations.seeds)

const decider = (
  { id: userId, loginName: name }: { id: number; loginName: string },
  functionCodes = ['ship:it'],
) => ({ userId, name, role: '创建人', functionCodes })

test('scopes intersect part by part, and nothing limits where none of them does', () => {
  const own: DataScope = { operatorIds: [1, 2, 3], equipTypeIds: null, regionIds: [7] }
  const other: DataScope = { operatorIds: [3, 2, 9], equipTypeIds: [5], regionIds: null }
  expect(intersectScopes([own, other])).toEqual({ operatorIds: [2, 3], equipTypeIds: [5], regionIds: [7] })
  expect(intersectScopes([own, everything])).toEqual(own)
  expect(intersectScopes([own, { ...own, regionIds: [8] }]).regionIds).toEqual([])
  expect(intersectScopes([everything, { ...everything }])).toBe(everything)
  expect(intersectScopes([])).toBe(everything)
})

test('a decision reaches what all of its people reach', async () => {
  const { db } = database
  const inner = await insertOrganization(db)
  const outer = await insertOperator(db)
  const operator = await insertOperator(db, { organizationId: inner })
  const wide = await insertUser(db, { functionCodes: ['ship:it'] })
  const narrow = await insertUser(db, { organizationId: inner, functionCodes: ['ship:it'] })
  const ofWide = await standingScope(db, [decider(wide)])
  expect(ofWide.scope?.operatorIds).toEqual(expect.arrayContaining([outer, operator]))
  const ofBoth = await standingScope(db, [decider(wide), decider(narrow)])
  expect(ofBoth).toEqual({
    scope: { operatorIds: [operator], equipTypeIds: null, regionIds: null },
    stopped: null,
  })
})

test('a decision stops with a person who was deleted, disabled or has lost the function, and says who', async () => {
  const { db } = database
  const colleague = await insertUser(db, { functionCodes: ['ship:it'] })
  const stopFor = async (user: { id: number; loginName: string }, codes?: string[]) => {
    const { stopped } = await standingScope(db, [decider(colleague), decider(user, codes)])
    return stopped && describeStop(stopped)
  }
  const user = await insertUser(db, { loginName: 'liwei', functionCodes: ['ship:it'] })
  expect(await stopFor(user)).toBeNull()
  expect(await stopFor(user, ['ship:other', 'ship:it'])).toBeNull()
  expect(await stopFor(user, [])).toBeNull()
  expect(await stopFor(user, ['ship:other'])).toBe('创建人 liwei 已没有所需的权限')
  await sql`UPDATE app_user SET is_enabled = false WHERE id = ${user.id}`.execute(db)
  expect(await stopFor(user)).toBe('创建人 liwei 已停用')
  await sql`DELETE FROM user_role WHERE user_id = ${user.id}`.execute(db)
  await sql`DELETE FROM app_user WHERE id = ${user.id}`.execute(db)
  expect(await stopFor(user)).toBe('创建人 liwei 已不存在')
})

test('rows of one user are kept back by the function that each of them needs, whatever their order', async () => {
  const user = await insertUser(database.db, { functionCodes: ['ship:it'] })
  const rows = [
    { id: '1', code: 'ship:other' },
    { id: '2', code: 'ship:it' },
  ]
  for (const due of [rows, rows.toReversed()]) {
    const kept = await listKeptBack(
      database.db,
      due,
      ({ code }) => decider(user, [code]),
      async (_scope, ids) => new Set(ids),
    )
    expect([...kept]).toEqual([['1', { role: '创建人', name: user.loginName, reason: 'lostFunction' }]])
  }
})

test('a SYSTEM user has every function', async () => {
  const system = await insertUser(database.db, {
    roleIds: [await insertRole(database.db, { code: 'SYSTEM' })],
  })
  expect(await standingScope(database.db, [decider(system, ['of:noMenu'])])).toEqual({
    scope: everything,
    stopped: null,
  })
})

test('the scopes of many decisions at once are those of each', async () => {
  const { db } = database
  const inner = await insertOrganization(db)
  const operator = await insertOperator(db, { organizationId: inner })
  await insertOperator(db, { organizationId: inner })
  const upper = await insertRegion(db, { code: 'GX1' })
  await insertRegion(db, { parentId: upper })
  const functionCodes = ['ship:it']
  const { id: roleId } = await db
    .selectFrom('role')
    .select('id')
    .where('code', '=', 'SYSTEM')
    .executeTakeFirstOrThrow()
  const system = await insertUser(db, { roleIds: [roleId] })
  const users = [
    await insertUser(db, { functionCodes }),
    await insertUser(db, { organizationId: inner, functionCodes }),
    await insertUser(db, {
      organizationId: inner,
      functionCodes,
      authorities: [
        ['O', String(operator)],
        ['R', 'GX1'],
        ['ET', '1'],
      ],
    }),
    await insertUser(db, { organizationId: inner }),
    await insertUser(db, { functionCodes, isEnabled: false }),
    { ...system, id: 1_000_000 },
    system,
  ]
  const deciders = users.flatMap((user) =>
    [null, 1, inner].flatMap((decidedIn) => [
      { ...decider(user), decidedIn },
      { ...decider(user, []), decidedIn },
    ]),
  )
  const each = []
  for (const one of deciders) each.push((await standingScope(db, [one])).scope)
  expect(await standingScopes(db, deciders)).toEqual(each)
  expect(each).toContain(null)
  expect(each).toContain(everything)
})
