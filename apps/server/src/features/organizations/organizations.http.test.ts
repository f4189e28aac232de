import { listOperators, listOrganizations } from '@voltkeep/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertOperator, insertOrganization } from '../../../test/factories.ts'

let app: TestApp
let maker: number
let branch: number
let other: number
let makersOperator: number
let branchsOperator: number
beforeAll(async () => {
  app = await createTestApp()
  maker = await insertOrganization(app.db)
  branch = await insertOrganization(app.db, { parentId: maker })
  makersOperator = await insertOperator(app.db, { organizationId: maker })
  branchsOperator = await insertOperator(app.db, { organizationId: branch })
  other = await insertOrganization(app.db)
  await insertOperator(app.db, { organizationId: other })
})
afterAll(() => app.close())

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => Number(id))

test('a system user gets every organization as a tree', async () => {
  const { data } = await app.call(listOrganizations, {}, await app.asAdmin())
  expect(data).toHaveLength(1)
  expect(data[0]).toMatchObject({ id: '1', parentId: '0', name: '平台' })
  const found = data[0]?.children.find(({ id }) => id === String(maker))
  expect(found).toMatchObject({ parentId: '1', children: [{ id: String(branch), parentId: String(maker) }] })
})

test('anyone else gets the tree from his own organization down', async () => {
  const { token } = await app.asUser({ organizationId: maker })
  const { data } = await app.call(listOrganizations, {}, token)
  expect(idsOf(data)).toEqual([maker])
  expect(data[0]?.parentId).toBe('0')
  expect(idsOf(data[0]?.children ?? [])).toEqual([branch])
})

test('operators are those of the data scope; a manufacturer covers the organizations under it', async () => {
  const admin = await app.asAdmin()
  // With the one that every installation begins with.
  expect(idsOf((await app.call(listOperators, {}, admin)).data)).toHaveLength(4)
  const ofMaker = await app.call(listOperators, { organId: String(maker) }, admin)
  expect(idsOf(ofMaker.data)).toEqual([makersOperator, branchsOperator])
  expect(ofMaker.data[1]?.organizationId).toBe(String(branch))

  const below = await app.asUser({ organizationId: branch })
  expect(idsOf((await app.call(listOperators, {}, below.token)).data)).toEqual([branchsOperator])
  expect((await app.call(listOperators, { organId: String(other) }, below.token)).data).toEqual([])
  const narrowed = await app.asUser({
    organizationId: maker,
    authorities: [['O', String(makersOperator)]],
  })
  expect(idsOf((await app.call(listOperators, { organId: String(maker) }, narrowed.token)).data)).toEqual([
    makersOperator,
  ])
})

test('an organization that cannot be has no operators, and a malformed one is refused', async () => {
  const token = await app.asAdmin()
  expect((await app.call(listOperators, { organId: '99999999999' }, token)).data).toEqual([])
  const refused = await app.call(listOperators, { organId: 'x' }, token)
  expect(refused).toMatchObject({ status: 400, data: [{ field: 'organId', message: '厂商无效' }] })
})
